import { expect, test } from 'vitest';
import { bestHours, countCall, emptyResults, hourClock } from './call-results.ts';
import { callSeries } from './call-series.ts';
import { CallSpans } from './call-spans.ts';
import { peaksOf } from './peaks.ts';
import { hoursOnClock } from './zone-hours.ts';

const noon = 1_800_000_000;

test('calls count in the minute in which they began, and lines while they overlap', () => {
  const { minutes, callsPerMinute, lines } = callSeries(
    [
      { startedAt: noon - 130, endedAt: noon - 70 },
      { startedAt: noon - 65, endedAt: noon - 62 },
      { startedAt: noon - 62, endedAt: null },
      { startedAt: noon - 10_000, endedAt: noon - 9_000 },
    ],
    noon + 5,
    3,
  );
  expect(minutes).toEqual([noon - 120, noon - 60, noon]);
  expect(callsPerMinute).toEqual([2, 0, 0]);
  // A line that is released and taken in the same second counts once.
  expect(lines).toEqual([1, 1, 1]);
});

test('a call that ended while the list of calls was on its way has ended', () => {
  const spans = new CallSpans();
  spans.note({ id: 'a', type: 'call.ended', at: noon + 20 });
  spans.note({ id: 'b', type: 'call.started', at: noon + 21 });
  spans.add('a', { startedAt: noon, endedAt: null });
  spans.add('b', { startedAt: noon + 21, endedAt: null });
  expect([...spans.values()]).toEqual([
    { startedAt: noon, endedAt: noon + 20 },
    { startedAt: noon + 21, endedAt: null },
  ]);
  expect(callSeries(spans.values(), noon + 59, 1).lines).toEqual([1]);
});

test('a call that ended before the stream was connected ends with the next list', () => {
  const spans = new CallSpans();
  spans.add('a', { startedAt: noon, endedAt: null });
  spans.add('a', { startedAt: noon, endedAt: noon + 3 });
  spans.add('b', { startedAt: noon + 4, endedAt: null });
  expect(callSeries(spans.values(), noon + 59, 1).lines).toEqual([1]);
});

test('hours are drawn on the clock of another zone, over midnight too', () => {
  const at = new Date('2027-01-15T12:00:00Z');
  const hours = { start: '09:00', end: '18:00' };
  const on = (zone: string, clock: string) => hoursOnClock(hours, { zone, clock, at });
  expect(on('Europe/Berlin', 'Europe/Berlin')).toEqual([{ from: 540, to: 1080 }]);
  expect(on('Asia/Kolkata', 'Europe/London')).toEqual([{ from: 210, to: 750 }]);
  expect(on('America/Los_Angeles', 'Europe/Berlin')).toEqual([
    { from: 0, to: 180 },
    { from: 1080, to: 1440 },
  ]);
  expect(hoursOnClock({ start: '00:00', end: '24:00' }, { zone: 'UTC', clock: 'UTC', at })).toEqual([
    { from: 0, to: 1440 },
  ]);
});

test('results are counted by hour and attempt, and the best hours have enough calls', () => {
  const results = emptyResults();
  const hourOf = hourClock('America/New_York');
  const call = (createdAt: string, outcome: string | null, attempt: number) =>
    countCall(results, { createdAt, outcome, attempt, seconds: 30, cost: 0.1 }, hourOf);
  for (let n = 0; n < 10; n++) call('2027-03-01T15:10:00Z', n < 7 ? 'completed' : 'busy', 1);
  call('2027-03-01T16:10:00Z', 'completed', 2);
  call('2027-03-01T16:10:00Z', null, 2);
  expect(results.calls).toBe(11);
  expect(results.hours[10]).toEqual({ calls: 10, reached: 7 });
  expect(results.attempts).toEqual([
    { calls: 10, reached: 7 },
    { calls: 1, reached: 1 },
  ]);
  expect(bestHours(results)).toEqual([{ hour: 10, calls: 10, reached: 7 }]);
});

test('the picture of a sound has its loudest moments', () => {
  expect(peaksOf(new Float32Array([0, 0.5, -0.25, 0.1]), 2)).toEqual([1, 0.5]);
  expect(peaksOf(new Float32Array(4), 2)).toEqual([0, 0]);
});
