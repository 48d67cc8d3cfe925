import { frameBytes, frameMs, fromMuLaw, lineRate, silentFrame } from '../audio/mu-law.ts';

export interface ReceivedFrame {
  bytes: Uint8Array;
  samples: Int16Array<ArrayBuffer>;
  /** When the frame ends. */
  at: number;
  voiced: boolean;
}

/** A line that has sent nothing for this long is silent. After less, a packet may be late. */
const lateMs = 200;
/** How far a line whose clock runs fast may be ahead of ours. */
const aheadAtMostMs = 100;
/** After a lost packet, a connection delivers everything behind it at once. This much of it is accepted. */
const delayedAtMostMs = 2_000;
/** Delayed audio arrives within this time. */
const deliveryMs = 200;
/** A pause in which a receiver that is ahead may wait for the clock: longer than the silence that ends a turn. */
const longPauseMs = 1_000;
/** A line that has sent nothing for less is not known to be quiet: its noise may go on behind the gap. */
const knownQuietMs = 1_000;
const gap = { bytes: silentFrame, samples: fromMuLaw(silentFrame) };

/**
 * Turns the frames of a line into a gapless sequence, with silence in place of frames that did not come.
 * @param args `keepMs`: at least the longest utterance
 */
export function createAudioReceiver(args: {
  beganAt: number;
  keepMs: number;
  isVoice: (samples: Int16Array) => boolean;
  onFrame: (frame: ReceivedFrame) => void;
}) {
  const frames: Array<{ at: number; bytes: Uint8Array }> = [];
  let at = args.beganAt;
  /** Silence that was filled in since the last frame. */
  let filledMs = 0;
  /** How much delayed audio is accepted, and until when. Audio is also delayed while the call is opened. */
  let delayed = { ms: delayedAtMostMs, until: args.beganAt + deliveryMs };
  /** How far delayed audio has put us ahead of the clock. */
  let aheadMs = 0;
  /** Time without voice since then. */
  let voicelessMs = 0;

  function append(frame: Omit<ReceivedFrame, 'at'>): void {
    at += frameMs;
    frames.push({ at, bytes: frame.bytes });
    // Removed a second at a time, because each removal moves all other frames.
    if (frames.length > args.keepMs / frameMs + 50) frames.splice(0, 50);
    args.onFrame({ ...frame, at });
  }

  function decode(message: Uint8Array): Omit<ReceivedFrame, 'at'> {
    // Copied, because the next message may reuse the memory.
    const bytes = Uint8Array.from(message);
    const samples = fromMuLaw(bytes);
    return { bytes, samples, voiced: args.isVoice(samples) };
  }

  /** Appends a frame unless it is too far ahead of the clock. */
  function place(message: Uint8Array, now: number): void {
    if (at < now + aheadAtMostMs) {
      aheadMs = 0;
      voicelessMs = 0;
      return append(decode(message));
    }
    if (now <= delayed.until && delayed.ms > 0) {
      delayed.ms -= frameMs;
      aheadMs += frameMs;
      return append(decode(message));
    }
    if (aheadMs === 0) return;
    // Judged even if it is left out, to notice a person who speaks again while we wait for the clock.
    const frame = decode(message);
    voicelessMs = frame.voiced ? 0 : voicelessMs + frameMs;
    if (at < now + aheadAtMostMs + aheadMs && voicelessMs < longPauseMs) append(frame);
  }

  return {
    frame(bytes: Uint8Array, now: number) {
      if (filledMs > 0) delayed = { ms: Math.min(filledMs, delayedAtMostMs), until: now + deliveryMs };
      filledMs = 0;
      place(bytes, now);
    },
    /** Fills gaps with silence. */
    tick(now: number) {
      if (now - at < lateMs) return;
      for (; now - at >= frameMs; filledMs += frameMs) {
        append(filledMs < knownQuietMs ? { ...gap, voiced: false } : decode(silentFrame));
      }
    },
    /** The audio between two instants, as far as it is still buffered. */
    between(from: number, to: number) {
      const framesAtMost = (args.keepMs / 1_000) * (lineRate / frameBytes);
      const chosen = frames.filter((frame) => frame.at > from && frame.at <= to).slice(0, framesAtMost);
      const samples = new Int16Array(chosen.length * frameBytes);
      chosen.forEach((frame, index) => samples.set(fromMuLaw(frame.bytes), index * frameBytes));
      return samples;
    },
  };
}
