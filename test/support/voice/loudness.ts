import { frameBytes, fromMuLaw, lineRate, toMuLaw } from '@outdial/voice/sound';

/** Without noise, a louder frame contains a voice. */
export const loud = 300;
/** Louder at low frequencies, as in rooms and cars. */
const lowness = 0.95;

/** The root of the mean square. */
export function loudness(samples: Int16Array): number {
  return Math.sqrt(energy(samples) / samples.length);
}

function energy(samples: Int16Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0);
}

/** The whole frames of a sound, which has one element for each sample. */
export function framesOf<T extends Int16Array | Uint8Array>(sound: T): T[] {
  return Array.from(
    { length: Math.floor(sound.length / frameBytes) },
    // A part has the type of the whole.
    (_, index) => sound.subarray(index * frameBytes, (index + 1) * frameBytes) as T,
  );
}

/** The frames of a sound that have a voice. */
export function framesWithVoice(samples: Int16Array): Int16Array {
  const voiced = framesOf(samples).filter((frame) => loudness(frame) > loud);
  return Int16Array.from(voiced.flatMap((frame) => [...frame]));
}

/** How much of a sound has a voice in it, in milliseconds. */
export const voicedMs = (samples: Int16Array): number => (framesWithVoice(samples).length / lineRate) * 1_000;

/** The loudness of speech without its pauses, as in ITU-T P.56. */
export function atLoudness(said: Int16Array, wanted: number): Int16Array {
  const factor = wanted / loudness(framesWithVoice(said));
  return said.map((sample) => Math.max(-32_000, Math.min(32_000, sample * factor)));
}

/** The signal-to-noise ratio in decibels, from a part of a recording with speech and noise, and a part with noise only. */
export function decibelsOverNoise(args: {
  said: Int16Array;
  recorded: Int16Array;
  noise: Int16Array;
}): number {
  const { said, recorded, noise } = args;
  const noisePower = loudness(noise) ** 2;
  const power = (energy(recorded) - noisePower * recorded.length) / framesWithVoice(said).length;
  return 10 * Math.log10(power / noisePower);
}

/** The second at which what was said begins in a recording with noise: where the loudness of its frames fits best. */
export function beginningOf(said: Int16Array, recorded: Int16Array): number {
  const [wanted = [], given = []] = [said, recorded].map((sound) => framesOf(sound).map(loudness));
  const mean = wanted.reduce((sum, one) => sum + one, 0) / wanted.length;
  const fit = (from: number) =>
    wanted.reduce((sum, one, frame) => sum + (one - mean) * (given[from + frame] ?? 0), 0);
  const fits = Array.from({ length: given.length - wanted.length + 1 }, (_, from) => fit(from));
  return (fits.indexOf(Math.max(...fits)) * frameBytes) / lineRate;
}

/** A part of a recording, from one second to another. */
export const seconds = (samples: Int16Array, from: number, to: number): Int16Array =>
  samples.subarray(Math.round(from * lineRate), Math.round(to * lineRate));

/** The noise of one line, which is added to its audio. */
export function lineNoise(noiseLoudness: number): (frame: Uint8Array) => Uint8Array {
  if (noiseLoudness === 0) return (frame) => frame;
  const share = noiseLoudness * Math.sqrt(3 * (1 - lowness ** 2));
  let level = 0;
  return (frame) =>
    toMuLaw(
      fromMuLaw(frame).map((sample) => {
        level = lowness * level + share * (2 * Math.random() - 1);
        return Math.max(-32_000, Math.min(32_000, sample + level));
      }),
    );
}
