import { frameBytes, fromMuLaw, lineRate } from '../audio/mu-law.ts';
import { frameMs } from '../turn/turn-settings.ts';
import { silentFrame } from './playback.ts';

export interface HeardFrame {
  bytes: Uint8Array;
  samples: Int16Array<ArrayBuffer>;
  at: number;
  voiced: boolean;
}

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

export function createEar(args: {
  beganAt: number;
  /** As long as an utterance may be, and some. */
  keepMs: number;
  isVoice: (samples: Int16Array) => boolean;
  onFrame: (frame: HeardFrame) => void;
}): Ear {
  const frames: Array<{ at: number; bytes: Uint8Array }> = [];
  let at = args.beganAt;
  /** Silence that was filled in since the last frame. */
  let filledMs = 0;
  /** As much may be delivered late, until then. What is said while the call is opened waits as well. */
  let held = { ms: heldUpAtMostMs, until: args.beganAt + deliveryMs };
  /** How far sound that was held up has put us ahead of the clock. */
  let aheadMs = 0;
  /** Without a voice, since it did. */
  let voicelessMs = 0;

  function take(frame: Omit<HeardFrame, 'at'>): void {
    const { bytes } = frame;
    at += frameMs;
    frames.push({ at, bytes });
    // Taken away by the second, since it moves all the others.
    if (frames.length > args.keepMs / frameMs + 50) frames.splice(0, 50);
    args.onFrame({ ...frame, at });
  }

  /** Copied: the next message may be read into the same memory. */
  function judge(message: Uint8Array): Omit<HeardFrame, 'at'> {
    const bytes = Uint8Array.from(message);
    const samples = fromMuLaw(bytes);
    return { bytes, samples, voiced: args.isVoice(samples) };
  }

  /** Takes a frame that finds a place in time. A line whose clock runs fast is held to ours. */
  function place(message: Uint8Array, now: number): void {
    if (at < now + aheadAtMostMs) {
      aheadMs = 0;
      voicelessMs = 0;
      return take(judge(message));
    }
    if (now <= held.until && held.ms > 0) {
      held.ms -= frameMs;
      aheadMs += frameMs;
      return take(judge(message));
    }
    if (aheadMs === 0) return;
    // Judged though it may be left out: who speaks again while the ear waits is heard.
    const frame = judge(message);
    voicelessMs = frame.voiced ? 0 : voicelessMs + frameMs;
    if (at < now + aheadAtMostMs + aheadMs && voicelessMs < longPauseMs) take(frame);
  }

  return {
    frame(bytes, now) {
      if (filledMs > 0) held = { ms: Math.min(filledMs, heldUpAtMostMs), until: now + deliveryMs };
      filledMs = 0;
      place(bytes, now);
    },
    tick(now) {
      if (now - at < lateMs) return;
      for (; now - at >= frameMs; filledMs += frameMs) take(judge(silentFrame));
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
