import { frameBytes, fromMuLaw, lineRate } from '../audio/mu-law.ts';
import { frameMs } from '../turn/turn-settings.ts';
import { silentFrame } from './playback.ts';

/** What the person says, in the order of its instants, with the silence that a silent line does not send. */
export interface Ear {
  frame(bytes: Uint8Array, now: number): void;
  /** Fills what did not come. */
  tick(now: number): void;
  /** The sound between two instants, as far as it is kept. */
  between(from: number, to: number): Int16Array<ArrayBuffer>;
}

/** A line that has sent nothing for so long is silent; less is a packet that is late. */
const lateMs = 200;

export function createEar(args: {
  beganAt: number;
  /** As long as an utterance may be, and some. */
  keepMs: number;
  onFrame: (bytes: Uint8Array, at: number) => void;
}): Ear {
  const frames: Array<{ at: number; bytes: Uint8Array }> = [];
  let at = args.beganAt;

  function take(bytes: Uint8Array): void {
    at += frameMs;
    frames.push({ at, bytes });
    // Taken away by the second, since it moves all the others.
    if (frames.length > args.keepMs / frameMs + 50) frames.splice(0, 50);
    args.onFrame(bytes, at);
  }

  return {
    frame(bytes, now) {
      // Copied: the next message may be read into the same memory. A line whose clock runs fast is held to ours.
      if (at < now + 5 * frameMs) take(Uint8Array.from(bytes));
    },
    tick(now) {
      if (now - at < lateMs) return;
      while (now - at >= frameMs) take(silentFrame);
    },
    between(from, to) {
      const chosen = frames.filter((frame) => frame.at > from && frame.at <= to);
      const samples = new Int16Array(
        Math.min(chosen.length, (args.keepMs / 1_000) * (lineRate / frameBytes)) * frameBytes,
      );
      chosen.slice(0, samples.length / frameBytes).forEach((frame, index) => {
        samples.set(fromMuLaw(frame.bytes), index * frameBytes);
      });
      return samples;
    },
  };
}
