import { frameMs } from '../audio/mu-law.ts';
import { type Tone, toneOf } from './tone.ts';

/** A shorter tone is a click, or the middle of a vowel. */
const shortestMs = 120;
/** A longer tone is a line that is out of order. */
const longestMs = 4_000;
/** A beep is steady. A voice is not, even if it hums. */
const driftHz = 9;
const driftShare = 0.012;
const louderBy = 1.4;

/** A steady tone that has ended. */
export interface Beep {
  hz: number;
}

/** Detects the tone after which a mailbox records. */
export function createBeepDetector() {
  let first: Tone | null = null;
  let frames = 0;

  const continues = (tone: Tone): boolean =>
    first !== null &&
    Math.abs(tone.hz - first.hz) <= Math.max(driftHz, first.hz * driftShare) &&
    tone.loudness <= first.loudness * louderBy &&
    tone.loudness * louderBy >= first.loudness;

  return {
    /** Takes a frame. Returns a beep that has just ended. */
    take(samples: Int16Array): Beep | null {
      const tone = toneOf(samples);
      if (tone !== null && continues(tone)) {
        frames += 1;
        return null;
      }
      const lastedMs = frames * frameMs;
      const hz = first?.hz ?? 0;
      first = tone;
      frames = tone === null ? 0 : 1;
      return lastedMs >= shortestMs && lastedMs <= longestMs ? { hz } : null;
    },
    /** The last frame was a tone. */
    isInTone: () => first !== null,
  };
}
