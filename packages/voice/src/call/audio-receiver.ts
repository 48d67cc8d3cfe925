import { frameBytes, frameMs, fromMuLaw, silentFrame } from '../audio/mu-law.ts';

export interface ReceivedFrame {
  /** A view of the ring buffer: valid for `keepMs`. */
  bytes: Uint8Array;
  /** Valid only within `onFrame`. */
  samples: Int16Array<ArrayBuffer>;
  /** When the frame ends. */
  at: number;
  voiced: boolean;
  /** Silence in place of a frame that did not come. */
  isFilled: boolean;
}

/** A line that has sent nothing for this long is silent. Before that, a packet may just be late. */
const lateMs = 200;
/** How far ahead of our clock a line may be whose own clock runs fast. */
const aheadAtMostMs = 100;
/** After a lost packet, TCP delivers everything behind it at once. At most this much of it is accepted. */
const delayedAtMostMs = 2_000;
/** Delayed audio arrives within this time once the line is back. */
const deliveryMs = 200;
/** In a pause of this length, a receiver that is ahead waits for the clock. It is longer than the silence that ends a turn. */
const longPauseMs = 1_000;
/** After a shorter gap, the line may not be quiet: its noise may go on behind the gap. */
const knownQuietMs = 1_000;

/**
 * Turns the frames of a line into a gapless sequence, with silence in place of frames that did not come. Frames share one
 * ring buffer: a buffer for each, fifty a second for each call, fragments the allocator.
 * @param args `keepMs`: at least the longest utterance
 */
export function createAudioReceiver(args: {
  beganAt: number;
  keepMs: number;
  isVoice: (samples: Int16Array) => boolean;
  onFrame: (frame: ReceivedFrame) => void;
}) {
  const keptFrames = Math.ceil(args.keepMs / frameMs);
  /** A ring buffer of the last `keptFrames` frames. */
  const kept = new Uint8Array(keptFrames * frameBytes);
  const samples = new Int16Array(frameBytes);
  let frames = 0;
  let at = args.beganAt;
  /** Silence that was filled in since the last frame. */
  let filledMs = 0;
  /** How much delayed audio is accepted, and until when. Audio is also delayed while the call is opened. */
  let delayed = { ms: delayedAtMostMs, until: args.beganAt + deliveryMs };
  /** How far delayed audio has put us ahead of the clock. */
  let aheadMs = 0;
  /** Time without voice since then. */
  let voicelessMs = 0;

  function bytesOf(frame: number): Uint8Array {
    const from = (frame % keptFrames) * frameBytes;
    return kept.subarray(from, from + frameBytes);
  }

  function isVoice(message: Uint8Array): boolean {
    return args.isVoice(fromMuLaw(message, samples));
  }

  /** The caller has decoded the message into `samples`. */
  function append(message: Uint8Array, voiced: boolean, isFilled = false): void {
    const bytes = bytesOf(frames);
    bytes.set(message);
    frames += 1;
    at += frameMs;
    args.onFrame({ bytes, samples, voiced, at, isFilled });
  }

  /** Appends a frame unless it is too far ahead of the clock. */
  function place(message: Uint8Array, now: number): void {
    if (at < now + aheadAtMostMs) {
      aheadMs = 0;
      voicelessMs = 0;
      return append(message, isVoice(message));
    }
    if (now <= delayed.until && delayed.ms > 0) {
      delayed.ms -= frameMs;
      aheadMs += frameMs;
      return append(message, isVoice(message));
    }
    if (aheadMs === 0) return;
    // Checked even if the frame is left out, to notice when the person speaks again while we wait for the clock.
    const voiced = isVoice(message);
    voicelessMs = voiced ? 0 : voicelessMs + frameMs;
    if (at < now + aheadAtMostMs + aheadMs && voicelessMs < longPauseMs) append(message, voiced);
  }

  return {
    frame(bytes: Uint8Array, now: number) {
      if (filledMs > 0) delayed = { ms: Math.min(filledMs, delayedAtMostMs), until: now + deliveryMs };
      filledMs = 0;
      place(bytes, now);
    },
    tick(now: number) {
      if (now - at < lateMs) return;
      for (; now - at >= frameMs; filledMs += frameMs) {
        fromMuLaw(silentFrame, samples);
        append(silentFrame, filledMs >= knownQuietMs && args.isVoice(samples), true);
      }
    },
    /** The audio between two instants, as far as it is still buffered. */
    between(from: number, to: number) {
      // The instants may be sums of fractions.
      const framesUntil = (instant: number) => Math.floor((instant - args.beganAt) / frameMs + 0.001);
      const first = Math.max(framesUntil(from), frames - keptFrames, 0);
      const last = Math.min(framesUntil(to), frames);
      const chosen = new Int16Array(Math.max(0, last - first) * frameBytes);
      for (let frame = first; frame < last; frame += 1) {
        fromMuLaw(bytesOf(frame), chosen.subarray((frame - first) * frameBytes));
      }
      return chosen;
    },
  };
}
