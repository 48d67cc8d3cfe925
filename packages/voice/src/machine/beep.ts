import { frameMs } from '../turn/turn-settings.ts';
import { type Tone, toneOf } from './tone.ts';

/** Listens for the tone after which a mailbox records. */
export interface BeepEar {
  /** Takes a frame; true when a beep has just ended. */
  hear(samples: Int16Array): boolean;
}

/** A shorter one is a click, or the middle of a vowel. */
const shortestMs = 120;
/** A longer one is a line that is out of order. */
const longestMs = 4_000;
/** A beep stays where it is; a voice, even one that hums, does not. */
const driftHz = 9;
const driftShare = 0.012;
const louderBy = 1.4;

export function createBeepEar(): BeepEar {
  let first: Tone | null = null;
  let frames = 0;

  const goesOn = (tone: Tone): boolean =>
    first !== null &&
    Math.abs(tone.hz - first.hz) <= Math.max(driftHz, first.hz * driftShare) &&
    tone.loudness <= first.loudness * louderBy &&
    tone.loudness * louderBy >= first.loudness;

  return {
    hear(samples) {
      const tone = toneOf(samples);
      if (tone !== null && goesOn(tone)) {
        frames += 1;
        return false;
      }
      const lastedMs = frames * frameMs;
      first = tone;
      frames = tone === null ? 0 : 1;
      return lastedMs >= shortestMs && lastedMs <= longestMs;
    },
  };
}
