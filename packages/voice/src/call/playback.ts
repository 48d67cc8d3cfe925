import { frameBytes, silentByte, toMuLaw } from '../audio/mu-law.ts';
import { frameMs } from '../turn/turn-settings.ts';

/** What the agent says, on its way to the person. */
export interface Playback {
  /** Begins an answer: what was played of the one before does not count for it. */
  begin(answer: number): void;
  add(samples: Int16Array): void;
  pause(): void;
  resume(): void;
  /** Forgets what has not been sent. */
  drop(): void;
  /** Sends what is due. */
  tick(now: number): void;
  /** So much of the answer has been heard by now. */
  position(now: number): { answer: number; ms: number } | null;
}

/** So far ahead of the person's ear it is sent: enough for a timer that is late, and little, since it cannot be taken back. */
const aheadMs = 100;
const frameSamples = frameBytes;

export function createPlayback(send: (frame: Uint8Array, playsAt: number) => void): Playback {
  let queue: Int16Array[] = [];
  let queued = 0;
  /** The end of the last chunk; it becomes a frame, padded, when nothing comes after it in time. */
  let rest = new Int16Array();
  let isPaused = false;
  let answer: number | null = null;
  let sentMs = 0;
  /** When the last frame that was sent ends. */
  let busyUntil = 0;

  function takeFrame(): Int16Array | null {
    const first = queue.shift();
    if (first !== undefined) {
      queued -= 1;
      return first;
    }
    if (rest.length === 0) return null;
    const padded = new Int16Array(frameSamples);
    padded.set(rest);
    rest = new Int16Array();
    return padded;
  }

  return {
    begin(next) {
      if (answer === next) return;
      answer = next;
      sentMs = 0;
    },
    add(samples) {
      const all = new Int16Array(rest.length + samples.length);
      all.set(rest);
      all.set(samples, rest.length);
      let at = 0;
      for (; at + frameSamples <= all.length; at += frameSamples) {
        queue.push(all.slice(at, at + frameSamples));
        queued += 1;
      }
      rest = all.slice(at);
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
    },
    drop() {
      queue = [];
      queued = 0;
      rest = new Int16Array();
      isPaused = false;
      busyUntil = 0;
      answer = null;
    },
    tick(now) {
      if (isPaused) return;
      while (busyUntil < now + aheadMs) {
        // Between chunks of speech that is still being made, the tail waits for its continuation while there is time.
        if (queued === 0 && busyUntil > now + frameMs) return;
        const frame = takeFrame();
        if (frame === null) return;
        const playsAt = Math.max(busyUntil, now);
        send(toMuLaw(frame), playsAt);
        sentMs += frameMs;
        busyUntil = playsAt + frameMs;
      }
    },
    position(now) {
      if (answer === null) return null;
      return { answer, ms: Math.max(0, sentMs - Math.max(0, busyUntil - now)) };
    },
  };
}

export const silentFrame: Uint8Array = new Uint8Array(frameBytes).fill(silentByte);
