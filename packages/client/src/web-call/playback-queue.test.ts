import { describe, expect, test } from 'vitest';
import { decode, encode } from './mu-law.ts';
import { createPlaybackQueue } from './playback-queue.ts';
import { createResampler } from './resample.ts';

const block = (queue: { take(block: Float32Array): void }, length: number) => {
  const samples = new Float32Array(length).fill(9);
  queue.take(samples);
  return [...samples];
};

describe('playback of the agent', () => {
  test('begins with a lead, and is silent when the queue is empty', () => {
    const queue = createPlaybackQueue(4, 100);
    queue.add(Float32Array.of(1, 2));
    expect(block(queue, 2)).toEqual([0, 0]);
    queue.add(Float32Array.of(3, 4, 5));
    expect(block(queue, 4)).toEqual([1, 2, 3, 4]);
    expect(block(queue, 4)).toEqual([5, 0, 0, 0]);
  });

  test('plays an end that is shorter than the lead', () => {
    const queue = createPlaybackQueue(4, 100);
    queue.add(Float32Array.of(7));
    expect([...block(queue, 4), ...block(queue, 4)]).toEqual([0, 0, 0, 0, 7, 0, 0, 0]);
  });

  test('cleared audio is not played, and an overflow drops the oldest', () => {
    const queue = createPlaybackQueue(1, 3);
    queue.add(Float32Array.of(1, 2));
    queue.clear();
    expect(block(queue, 2)).toEqual([0, 0]);
    queue.add(Float32Array.of(1, 2));
    queue.add(Float32Array.of(3, 4));
    expect(block(queue, 2)).toEqual([3, 4]);
  });
});

test('µ-law restores samples within its precision', () => {
  for (const sample of [-1, -0.5, -0.01, 0, 0.003, 0.2, 0.99]) {
    expect(Math.abs(decode(encode(sample)) - sample)).toBeLessThan(0.035 * Math.abs(sample) + 0.001);
  }
});

test('a resampled tone keeps its loudness across blocks', () => {
  const resample = createResampler(48_000, 8_000);
  const out: number[] = [];
  for (let at = 0; at < 48_000; at += 128) {
    const samples = Float32Array.from({ length: 128 }, (_, index) =>
      Math.sin((2 * Math.PI * 440 * (at + index)) / 48_000),
    );
    out.push(...resample(samples));
  }
  expect(Math.abs(out.length - 8_000)).toBeLessThan(20);
  const loudness = Math.sqrt(out.slice(100).reduce((sum, one) => sum + one * one, 0) / (out.length - 100));
  expect(loudness).toBeCloseTo(Math.SQRT1_2, 2);
});
