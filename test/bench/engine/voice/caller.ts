import { once } from 'node:events';
import { frameBytes, silentByte, toMuLaw } from '@outdial/voice/sound';
import { WebSocket } from 'ws';
import { framesOf } from '../../../support/voice/loudness.ts';
import { voiceLike } from '../../../support/voice/voice-like.ts';

const frameMs = 20;
const questions = 4;
/** The agent has finished when it has been silent for this long. */
const pauseMs = 700;
/** A call that hangs is abandoned after this time. */
const longestMs = 90_000;

const question: readonly Uint8Array[] = framesOf(toMuLaw(voiceLike(1_400)));
const silence = new Uint8Array(frameBytes).fill(silentByte);

/** The measurements of one caller, in milliseconds. */
export interface CallFigures {
  firstWordMs: number;
  /** From the end of a question to the first sound of the answer. */
  waitsMs: number[];
  /** The same without what the chat model took. */
  repliesMs: number[];
  durationMs: number;
}

/**
 * Plays the caller as Asterisk would: µ-law in frames of 20 ms, without a pause. Asks a question when the agent has been silent for a moment, and
 * hangs up after the last answer.
 */
export async function talk(url: string, thoughtMs: () => number): Promise<CallFigures> {
  const socket = new WebSocket(url, ['media']);
  await once(socket, 'open');
  const openedAt = performance.now();
  let voices: { first: number; last: number } | null = null;
  let firstWordMs = Number.NaN;
  let askedAt: number | null = null;
  let asking: Uint8Array[] = [];
  let asked = 0;
  let sent = 0;
  const waitsMs: number[] = [];
  const repliesMs: number[] = [];

  socket.on('message', (data, isBinary) => {
    if (!isBinary || !Buffer.isBuffer(data) || !isLoud(data)) return;
    const now = performance.now();
    if (Number.isNaN(firstWordMs)) firstWordMs = now - openedAt;
    if (askedAt !== null) {
      waitsMs.push(now - askedAt);
      repliesMs.push(now - askedAt - thoughtMs());
      askedAt = null;
    }
    voices = { first: voices?.first ?? now, last: now };
  });

  function step(now: number): void {
    // Sends every frame that is due, however late this timer fires.
    for (; sent * frameMs <= now - openedAt; sent += 1) {
      const frame = asking.shift();
      socket.send(frame ?? silence);
      if (frame !== undefined && asking.length === 0) askedAt = performance.now();
    }
    const isQuiet = voices !== null && now - voices.last > pauseMs;
    if (asking.length > 0 || askedAt !== null || !isQuiet) return;
    if (asked === questions) return socket.close();
    asked += 1;
    voices = null;
    asking = [...question];
  }

  const timer = setInterval(() => {
    const now = performance.now();
    if (socket.readyState !== socket.OPEN) return;
    if (now - openedAt > longestMs) return socket.terminate();
    step(now);
  }, frameMs);
  await once(socket, 'close');
  clearInterval(timer);
  if (repliesMs.length < questions) throw new Error(`a call ended after ${repliesMs.length} answers`);
  return { firstWordMs, waitsMs, repliesMs, durationMs: performance.now() - openedAt };
}

/** Whether a frame is louder than silence, which is near 0x7f and 0xff in µ-law. */
function isLoud(frame: Buffer): boolean {
  let loud = 0;
  for (const byte of frame) if ((byte & 0x7f) < 0x60) loud += 1;
  return loud > frame.length / 8;
}
