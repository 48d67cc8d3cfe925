import { fromMuLaw, lineRate } from '@outdial/voice/sound';
import type { Page, WebSocket } from 'playwright-core';
import { createEar } from '../voice/ear.ts';
import type { Listener } from '../voice/people.ts';

/** A span of audio with a voice. */
export interface Utterance {
  from: number;
  until: number;
}

/** The audio of a finished call in a page, as the person heard it. Instants are of `performance.now()`. */
export interface PageLine extends Listener {
  /** The audio that the page sent from its microphone. */
  said: readonly Utterance[];
  /** The audio that the page played. */
  voices: readonly number[];
  leftAt: number;
}

interface Sound {
  at: number;
  samples: Int16Array;
}

/** The pause between two sentences of a person is longer. */
const pauseMs = 1_500;

/** Call this before the page opens the connection. Resolves when the call is over. */
export async function lineOf(page: Page): Promise<PageLine> {
  const sent: Sound[] = [];
  const received: Array<Sound | { at: number; samples: null }> = [];
  const closed = Promise.withResolvers<number>();
  const pickedUpAt = await new Promise<number>((resolve) => {
    page.once('websocket', (socket: WebSocket) => {
      resolve(performance.now());
      socket.on('framesent', ({ payload }) => {
        if (typeof payload !== 'string') sent.push({ at: performance.now(), samples: fromMuLaw(payload) });
      });
      socket.on('framereceived', ({ payload }) => {
        const at = performance.now();
        if (typeof payload !== 'string') received.push({ at, samples: fromMuLaw(payload) });
        else if (payload.includes('"clear"')) received.push({ at, samples: null });
      });
      socket.on('close', () => closed.resolve(performance.now()));
    });
  });
  const leftAt = await closed.promise;
  const [own, ear] = [createEar(), createEar()];
  for (const { samples, at } of sent) own.hear(samples, at);
  for (const { samples, at } of played(received)) ear.hear(samples, at);
  return { ...ear, pickedUpAt, leftAt, said: utterances(own.voices) };
}

/** Like the page, plays chunks in order, and drops queued audio when the agent cancels it. */
function played(received: ReadonlyArray<Sound | { at: number; samples: null }>): Sound[] {
  let heard: Sound[] = [];
  let free = 0;
  for (const { at, samples } of received) {
    if (samples === null) {
      heard = heard.filter((sound) => sound.at <= at);
      free = at;
    } else {
      const begins = Math.max(free, at);
      heard.push({ at: begins, samples });
      free = begins + (samples.length / lineRate) * 1_000;
    }
  }
  return heard;
}

function utterances(voices: readonly number[]): Utterance[] {
  const all: Utterance[] = [];
  for (const at of voices) {
    const last = all.at(-1);
    if (last === undefined || at - last.until > pauseMs) all.push({ from: at, until: at });
    else last.until = at;
  }
  return all;
}
