import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromMuLaw, toMuLaw } from './mu-law.ts';
import { createResampler } from './resampler.ts';
import { createSampleReader } from './samples.ts';

const tone = (rate: number, hz: number, ms: number) =>
  Int16Array.from(
    { length: (rate * ms) / 1_000 },
    (_, at) => 10_000 * Math.sin((2 * Math.PI * hz * at) / rate),
  );
const loudness = (samples: Int16Array) =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

test('every µ-law code but the second zero survives decoding and encoding', () => {
  const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
  expect([...toMuLaw(fromMuLaw(codes))].map((code) => (code === 0xff ? 0x7f : code))).toEqual(
    [...codes].map((code) => (code === 0xff ? 0x7f : code)),
  );
});

test('samples are complete, whatever the chunks of bytes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 50 }),
      fc.array(fc.integer({ min: 1, max: 9 })),
      (samples, cuts) => {
        const bytes = new Uint8Array(Int16Array.from(samples).buffer);
        const read = createSampleReader();
        const got: number[] = [];
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          got.push(...read(bytes.subarray(at, at + cut)));
          at += cut;
        }
        expect(got).toEqual(samples);
      },
    ),
  );
});

test.each([
  [24_000, 8_000],
  [22_050, 8_000],
  [8_000, 16_000],
])('%i to %i samples a second: speech keeps its loudness, and chunks leave no trace', (from, to) => {
  const whole = createResampler(from, to);
  const all = [...whole.push(tone(from, 800, 500)), ...whole.end()];
  expect(Math.abs(all.length - to / 2)).toBeLessThan(20);
  expect(loudness(Int16Array.from(all.slice(200, -200)))).toBeGreaterThan(6_900);
  const cut = createResampler(from, to);
  const parts = tone(from, 800, 500);
  const pieces: number[] = [];
  for (let at = 0; at < parts.length; at += 333) pieces.push(...cut.push(parts.subarray(at, at + 333)));
  pieces.push(...cut.end());
  expect(pieces).toEqual(all);
});

test('frequencies that a telephone line cannot carry are removed', () => {
  const down = createResampler(24_000, 8_000);
  expect(loudness(down.push(tone(24_000, 6_500, 500)).subarray(100))).toBeLessThan(100);
});
