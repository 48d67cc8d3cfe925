import { fromMuLaw, lineRate, toMuLaw } from '../audio/mu-law.ts';

/** The same numbers from -1 to 1 in every run. */
export function noiseFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Samples after a telephone line: µ-law, with noise this many decibels below a full voice. */
function onALine(ms: number, sound: (seconds: number) => number, noiseDb = 40): Int16Array {
  const noise = noiseFrom(7);
  const share = 10 ** (-noiseDb / 20) * 6_000 * Math.sqrt(3 / 2);
  const samples = Int16Array.from({ length: Math.round((ms / 1_000) * lineRate) }, (_, index) =>
    Math.round(sound(index / lineRate) + share * noise()),
  );
  return fromMuLaw(toMuLaw(samples));
}

export const tone = (hz: number, ms: number, noiseDb?: number): Int16Array =>
  onALine(ms, (seconds) => 6_000 * Math.sin(2 * Math.PI * hz * seconds), noiseDb);

export const twoTones = (hz: number, other: number, ms: number): Int16Array =>
  onALine(
    ms,
    (seconds) => 4_000 * (Math.sin(2 * Math.PI * hz * seconds) + Math.sin(2 * Math.PI * other * seconds)),
  );

export const silence = (ms: number): Int16Array => onALine(ms, () => 0, 60);

/** A sequence of vowels that repeats every two seconds. */
export function vowels(ms: number, { pitchHz = 120 } = {}): Int16Array {
  const some = spoken(Math.min(ms, 2_000), pitchHz);
  return Int16Array.from({ length: (ms / 1_000) * lineRate }, (_, index) => some[index % some.length] ?? 0);
}

/** Harmonics of a pitch that moves, louder where the mouth resonates. */
function spoken(ms: number, pitchHz: number): Int16Array {
  const formants = [
    [730, 1_090],
    [270, 2_290],
    [300, 870],
    [530, 1_840],
  ] as const;
  let phase = 0;
  return onALine(ms, (seconds) => {
    const pitch = pitchHz * (1 + 0.15 * Math.sin(2 * Math.PI * 1.3 * seconds));
    phase += (2 * Math.PI * pitch) / lineRate;
    const [first, second] = formants[Math.floor(seconds / 0.18) % formants.length] ?? [500, 1_500];
    let sum = 0;
    for (let nth = 1; nth * pitch < 3_400; nth += 1) {
      const hz = nth * pitch;
      const loud = 1 / (1 + ((hz - first) / 90) ** 2) + 0.5 / (1 + ((hz - second) / 120) ** 2);
      sum += loud * Math.sin(nth * phase);
    }
    return 5_000 * sum;
  });
}

export function* framesOf(...sounds: readonly Int16Array[]): Generator<Int16Array> {
  const all = Int16Array.from(sounds.flatMap((sound) => [...sound]));
  for (let at = 0; at + 160 <= all.length; at += 160) yield all.subarray(at, at + 160);
}

/** The root mean square. */
export const loudness = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

/** Noise of this loudness, the same in every run. */
export function noise(length: number, loud: number): Int16Array {
  const next = noiseFrom(11);
  return Int16Array.from({ length }, () => Math.sqrt(3) * loud * next());
}
