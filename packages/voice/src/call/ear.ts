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
/** Two clocks are never the same: a line may be so far ahead of ours. */
const aheadAtMostMs = 100;
/** A connection that loses a packet holds everything up and then delivers it at once. So much of it is heard. */
const heldUpAtMostMs = 2_000;
/** What was held up comes within this time. */
const deliveryMs = 200;
/** A pause in which an ear that is ahead may wait for its clock: longer than the silence that ends a turn. */
const longPauseMs = 1_000;
/** No sound of a person is as faint, out of 32,767. */
const faint = 200;

export function createEar(args: {
  beganAt: number;
  /** As long as an utterance may be, and some. */
  keepMs: number;
  onFrame: (bytes: Uint8Array, at: number) => void;
}): Ear {
  const frames: Array<{ at: number; bytes: Uint8Array }> = [];
  let at = args.beganAt;
  /** Silence that was filled in since the last frame. */
  let filledMs = 0;
  /** As much may be delivered late, until then. */
  let held = { ms: 0, until: 0 };
  /** How far sound that was held up has put us ahead of the clock. */
  let aheadMs = 0;
  let quietMs = 0;

  function take(bytes: Uint8Array): void {
    at += frameMs;
    frames.push({ at, bytes });
    // Taken away by the second, since it moves all the others.
    if (frames.length > args.keepMs / frameMs + 50) frames.splice(0, 50);
    args.onFrame(bytes, at);
  }

  /** Whether a frame finds a place in time. A line whose clock runs fast is held to ours. */
  function hasPlace(bytes: Uint8Array, now: number): boolean {
    if (at < now + aheadAtMostMs) {
      aheadMs = 0;
      quietMs = 0;
      return true;
    }
    if (now <= held.until && held.ms > 0) {
      held.ms -= frameMs;
      aheadMs += frameMs;
      return true;
    }
    if (aheadMs === 0) return false;
    quietMs = isFaint(bytes) ? quietMs + frameMs : 0;
    return at < now + aheadAtMostMs + aheadMs && quietMs < longPauseMs;
  }

  return {
    frame(bytes, now) {
      if (filledMs > 0) held = { ms: Math.min(filledMs, heldUpAtMostMs), until: now + deliveryMs };
      filledMs = 0;
      // Copied: the next message may be read into the same memory.
      if (hasPlace(bytes, now)) take(Uint8Array.from(bytes));
    },
    tick(now) {
      if (now - at < lateMs) return;
      for (; now - at >= frameMs; filledMs += frameMs) take(silentFrame);
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

function isFaint(bytes: Uint8Array): boolean {
  return fromMuLaw(bytes).every((sample) => Math.abs(sample) < faint);
}
