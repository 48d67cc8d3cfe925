import { frameBytes, frameMs, silentByte, toMuLaw } from '../audio/mu-law.ts';

/** How far audio is sent ahead: enough for a late timer, but little, because sent audio cannot always be discarded. */
const aheadMs = 100;

export function createPlayback(send: (frame: Uint8Array, playsAt: number) => void) {
  /** Frames are views of their chunk. */
  let queue: Uint8Array[] = [];
  /** The incomplete frame at the end of the last chunk. It is padded if no chunk follows in time. */
  let rest = new Uint8Array();
  let isPaused = false;
  let answer: number | null = null;
  let sentMs = 0;
  /** When the last sent frame ends. */
  let busyUntil = 0;

  function takeFrame(): Uint8Array | null {
    const first = queue.shift();
    if (first !== undefined) return first;
    if (rest.length === 0) return null;
    const padded = new Uint8Array(frameBytes).fill(silentByte);
    padded.set(rest);
    rest = new Uint8Array();
    return padded;
  }

  function sendDue(now: number, mayPad: boolean): void {
    if (isPaused) return;
    while (busyUntil < now + aheadMs) {
      // While there is time, an incomplete frame waits for the next chunk.
      if (queue.length === 0 && (!mayPad || busyUntil > now + frameMs)) return;
      const frame = takeFrame();
      if (frame === null) return;
      const playsAt = Math.max(busyUntil, now);
      send(frame, playsAt);
      sentMs += frameMs;
      busyUntil = playsAt + frameMs;
    }
  }

  return {
    begin(next: number) {
      if (answer === next) return;
      answer = next;
      sentMs = 0;
    },
    add(samples: Int16Array) {
      const all = new Uint8Array(rest.length + samples.length);
      all.set(rest);
      toMuLaw(samples, all.subarray(rest.length));
      let at = 0;
      for (; at + frameBytes <= all.length; at += frameBytes) queue.push(all.subarray(at, at + frameBytes));
      rest = all.slice(at);
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
    },
    /** Discards audio that was not sent. */
    drop() {
      queue = [];
      rest = new Uint8Array();
      isPaused = false;
      busyUntil = 0;
      answer = null;
    },
    /** Sends the frames that are due. */
    tick: (now: number) => sendDue(now, true),
    /** The same as soon as sound has come. An incomplete frame still waits for the next chunk. */
    sendWhole: (now: number) => sendDue(now, false),
    /** All audio so far was played. */
    isSilent: (now: number) => queue.length === 0 && rest.length === 0 && busyUntil <= now,
    /** How much of the answer was played by now. */
    position(now: number) {
      if (answer === null) return null;
      return { answer, ms: Math.max(0, sentMs - Math.max(0, busyUntil - now)) };
    },
  };
}
