import { frameMs, lineRate } from '../audio/mu-law.ts';

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

/** No mailbox beeps more quietly: about -36 dB of full scale. */
const leastLoudness = 500;
/** The least share of the energy that a tone has; the rest is line noise. */
const leastShare = 0.9;
/** Hums and voices are lower, fax machines and modems higher. */
const lowestHz = 380;
const highestHz = 2_050;
/** Half the frequency resolution of 20 ms. */
const coarseHz = 25;
/** How far the tone may be from the estimate by zero crossings. */
const guessedWithinHz = 75;
const coarseShare = leastShare * 0.75;

interface Tone {
  hz: number;
  /** The root of the mean square. */
  loudness: number;
}

/** The tone in these samples. Null unless they hold one tone and little noise. */
function toneOf(samples: Int16Array): Tone | null {
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  const loudness = Math.sqrt(energy / samples.length);
  if (loudness < leastLoudness) return null;
  const shareAt = (hz: number) => (2 * powerAt(samples, hz)) / (samples.length * energy);
  let best = { hz: 0, share: 0 };
  const look = (hz: number) => {
    const share = shareAt(hz);
    if (share > best.share) best = { hz, share };
  };
  const guess = guessOf(samples);
  if (guess < lowestHz - guessedWithinHz || guess > highestHz + guessedWithinHz) return null;
  for (let hz = guess - guessedWithinHz; hz <= guess + guessedWithinHz; hz += coarseHz) look(hz);
  if (best.share < coarseShare) return null;
  for (const step of [12, 6, 3]) {
    const { hz } = best;
    look(hz - step);
    look(hz + step);
  }
  const isOne = best.share >= leastShare && best.hz >= lowestHz - coarseHz && best.hz <= highestHz;
  return isOne ? { hz: best.hz, loudness } : null;
}

/** Estimates the frequency of a tone by its zero crossings. Every call needs the estimate fifty times a second, so it must be cheap. */
function guessOf(samples: Int16Array): number {
  let crossings = 0;
  for (let at = 1; at < samples.length; at += 1) {
    if ((samples[at] ?? 0) >= 0 !== (samples[at - 1] ?? 0) >= 0) crossings += 1;
  }
  return (crossings / 2 / samples.length) * lineRate;
}

/** Goertzel's algorithm: one bin of a Fourier transform, squared. */
function powerAt(samples: Int16Array, hz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hz) / lineRate);
  let last = 0;
  let before = 0;
  for (const sample of samples) {
    const next = sample + factor * last - before;
    before = last;
    last = next;
  }
  return last * last + before * before - factor * last * before;
}
