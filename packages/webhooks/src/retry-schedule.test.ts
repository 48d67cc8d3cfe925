import { expect, test } from 'vitest';
import { failingTooLongSince, nextAttempt, retryDelaysSeconds } from './retry-schedule.ts';

const now = new Date('2026-03-02T12:00:00Z');
const secondsUntil = (attempts: number, retryAfterSeconds: number | null = null, random = 0) => {
  const next = nextAttempt({ attempts, retryAfterSeconds, now, random });
  return next.kind === 'retry' ? (next.at.getTime() - now.getTime()) / 1000 : null;
};

test('retries nine times over four days, and then gives up', () => {
  const delays = retryDelaysSeconds.map((_, at) => secondsUntil(at + 1));
  expect(delays).toEqual([5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]);
  expect(secondsUntil(10)).toBeNull();
});

test('spreads retries by up to a tenth', () => {
  expect(secondsUntil(2, null, 0.5)).toBe(315);
  expect(secondsUntil(2, null, 1)).toBe(330);
});

test('waits as long as the receiver requests, at most a day', () => {
  expect(secondsUntil(1, 60)).toBe(60);
  expect(secondsUntil(2, 60)).toBe(300);
  expect(secondsUntil(1, 1e9)).toBe(86400);
});

test('switches an endpoint off after five days of failures', () => {
  expect(now.getTime() - failingTooLongSince(now).getTime()).toBe(5 * 86_400_000);
});
