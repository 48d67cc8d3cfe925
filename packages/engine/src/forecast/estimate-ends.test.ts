import { expect, test } from 'vitest';
import { nextEstimateInMs, restAfterMs } from './estimate-ends.ts';

const minuteMs = 60_000;

test.each([
  { is: 'nearly over', leftMs: minuteMs, tookMs: 30, next: 10_000 },
  { is: 'over in an hour', leftMs: 60 * minuteMs, tookMs: 30, next: 72_000 },
  { is: 'over in weeks', leftMs: 30 * 24 * 60 * minuteMs, tookMs: 30, next: 15 * minuteMs },
  { is: 'so long that its forecast takes five seconds', leftMs: minuteMs, tookMs: 5_000, next: 500_000 },
  { is: 'so long that its forecast takes minutes', leftMs: minuteMs, tookMs: 200_000, next: 60 * minuteMs },
])('a campaign that is $is is forecast again after $next ms', ({ leftMs, tookMs, next }) => {
  expect(nextEstimateInMs({ leftMs, tookMs })).toBe(next);
});

test.each([
  { tookMs: 30, rest: 10_000 },
  { tookMs: 500, rest: 50_000 },
  { tookMs: 200_000, rest: 60 * minuteMs },
])('after a forecast that took $tookMs ms, changes cause no other one for $rest ms', ({ tookMs, rest }) => {
  expect(restAfterMs(tookMs)).toBe(rest);
});
