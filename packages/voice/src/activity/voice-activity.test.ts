import { expect, test } from 'vitest';
import { framesOf, silence, tone, vowels } from '../machine/sound.fixture.ts';
import { loadVoiceActivity } from './voice-activity.ts';

/** Adds the same noise in every run, this many decibels below a voice. */
function inNoise(samples: Int16Array, belowDb: number): Int16Array {
  const voice = vowels(2_000);
  const loudness = Math.sqrt(voice.reduce((sum, sample) => sum + sample * sample, 0) / voice.length);
  const peak = Math.sqrt(3) * loudness * 10 ** (-belowDb / 20);
  let state = 11;
  return samples.map((sample) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.max(-32_000, Math.min(32_000, sample + peak * (state / 2 ** 31 - 1)));
  });
}

/** Plays the sounds one after the other. Returns the share of each sound's frames that are taken for a voice. */
async function shares(sounds: readonly Int16Array[], change = (samples: Int16Array) => samples) {
  const detector = (await loadVoiceActivity())();
  try {
    return sounds.map((sound) => {
      const judged = [...framesOf(change(sound))].map((frame) => detector.isVoice(frame));
      return judged.filter(Boolean).length / judged.length;
    });
  } finally {
    detector.close();
  }
}

/** In the first second, the detector learns the noise of the line. */
const conversation = () => [
  silence(1_000),
  silence(1_000),
  vowels(1_500),
  silence(1_000),
  vowels(1_500),
  silence(1_000),
];

test('distinguishes a voice from silence', async () => {
  const [, before = 1, first = 0, between = 1, second = 0, after = 1] = await shares(conversation());
  expect(Math.min(first, second)).toBeGreaterThan(0.8);
  expect(Math.max(before, between, after)).toBeLessThan(0.2);
});

test('distinguishes a voice from noise ten decibels below it, so that turns end', async () => {
  const loud = (samples: Int16Array) => inNoise(samples, 10);
  const [, before = 1, first = 0, between = 1, second = 0, after = 1] = await shares(conversation(), loud);
  expect(Math.min(first, second)).toBeGreaterThan(0.5);
  expect(Math.max(before, between, after)).toBeLessThan(0.2);
});

test('a person who speaks from the first frame on is detected', async () => {
  const [hello = 0] = await shares([vowels(900)]);
  expect(hello).toBeGreaterThan(0.8);
});

test('a voice with pauses for breath is detected for any length, a hum only at first', async () => {
  const breath = [vowels(2_200), silence(160)];
  const long = await shares([silence(500), ...breath, ...breath, ...breath, ...breath, ...breath]);
  expect(Math.min(...long.filter((_, index) => index % 2 === 1))).toBeGreaterThan(0.8);
  const [, , hum = 1] = await shares([silence(500), tone(100, 3_000), tone(100, 3_000)]);
  expect(hum).toBeLessThan(0.1);
});
