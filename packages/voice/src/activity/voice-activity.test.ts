import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fromMuLaw } from '../audio/mu-law.ts';
import { framesOf, loudness, noise, silence, tone } from '../machine/sound.fixture.ts';
import { loadVoiceActivity } from './voice-activity.ts';

const folder = join(import.meta.dirname, '../../../../test/fixtures/speech');
const [woman, man] = ['woman', 'man'].map((name): Int16Array =>
  fromMuLaw(readFileSync(join(folder, `${name}.ulaw`))),
);
const createDetector = await loadVoiceActivity();

function atLoudness(samples: Int16Array, wanted: number): Int16Array {
  const gain = wanted / loudness(samples);
  return samples.map((sample) => sample * gain);
}
const decibels = (db: number) => 10 ** (-db / 20);

const mix = (samples: Int16Array, other: Int16Array) =>
  samples.map((sample, index) => Math.max(-32_000, Math.min(32_000, sample + (other[index] ?? 0))));

/** The share of frames that are taken for a voice. */
function share(samples: Int16Array): number {
  const detector = createDetector();
  const judged = [...framesOf(samples)].map((frame) => detector.isVoice(frame));
  return judged.filter(Boolean).length / judged.length;
}

/** Judges a voice between two seconds of silence, with the same noise all the time. */
function judge(voice: Int16Array, noiseDb: number) {
  const clean = [...framesOf(silence(2_000), voice, silence(2_000))];
  const line = noise(clean.length * 160, loudness(voice) * decibels(noiseDb));
  const detector = createDetector();
  const judged = clean.map((frame, nth) => ({
    isLoud: loudness(frame) > loudness(voice) / 5,
    isVoice: detector.isVoice(mix(frame, line.subarray(nth * 160))),
  }));
  const spoken = judged.filter(({ isLoud }) => isLoud);
  // The detector needs a moment to notice that a voice has ended.
  const silent = [...judged.slice(0, 95), ...judged.slice(-85)];
  return {
    missed: spoken.filter(({ isVoice }) => !isVoice).length / spoken.length,
    invented: silent.filter(({ isVoice }) => isVoice).length,
  };
}

describe.each([
  ['a woman', woman],
  ['a man', man],
])('%s', (_, voice = silence(0)) => {
  test.each([40, 10, 5])('is heard in noise %i decibels below the voice, and the silence after it', (db) => {
    const { missed, invented } = judge(voice, db);
    expect(missed).toBeLessThan(0.1);
    expect(invented).toBe(0);
  });

  test('is heard far from the telephone', () => {
    expect(judge(atLoudness(voice, 300), 30).missed).toBeLessThan(0.15);
  });
});

describe('is not taken for a voice', () => {
  const loud = loudness(woman ?? silence(0));

  test('a dozen people who talk in the background', () => {
    const length = 6 * 8_000;
    const people = Array.from({ length: 12 }, (_, nth) => {
      const voice = (nth % 2 === 0 ? woman : man) ?? silence(0);
      return Float32Array.from({ length }, (__, at) => voice[(at + nth * 7_919) % voice.length] ?? 0);
    });
    const all = Float32Array.from({ length }, (_, at) =>
      people.reduce((sum, one) => sum + (one[at] ?? 0), 0),
    );
    const peak = all.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const babble = Int16Array.from(all, (sample) => (sample / peak) * 30_000);
    expect(share(atLoudness(babble, loud * decibels(10)))).toBeLessThan(0.05);
  });

  test('a chord, a hum, loud noise, or a quiet line', () => {
    const chord = [262, 330, 392].map((hz) => tone(hz, 4_000)).reduce((sum, one) => mix(sum, one));
    expect(share(chord)).toBeLessThan(0.05);
    expect(share(tone(100, 6_000))).toBeLessThan(0.05);
    expect(share(noise(6 * 8_000, loud))).toBeLessThan(0.05);
    expect(share(silence(2_000))).toBe(0);
  });
});

test('a voice ten decibels below the person is far, but not the person who speaks a little lower', () => {
  const detector = createDetector();
  const spoken = atLoudness(man ?? silence(0), 1_800);
  const shareOf = (samples: Int16Array) => {
    const judged = [...framesOf(samples)].flatMap((frame) =>
      detector.isVoice(frame) ? [detector.isFar()] : [],
    );
    return judged.filter(Boolean).length / judged.length;
  };
  expect(shareOf(spoken)).toBeLessThan(0.2);
  expect(shareOf(atLoudness(spoken, 1_800 * decibels(2)))).toBeLessThan(0.35);
  expect(shareOf(atLoudness(spoken, 1_800 * decibels(10)))).toBeGreaterThan(0.7);
});
