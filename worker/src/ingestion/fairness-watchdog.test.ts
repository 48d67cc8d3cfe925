import type { IngestionLease } from '@outdial/db';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FairnessWatchdog, ReturnedError, stuckAfterMs } from './fairness-watchdog.ts';
import { InFlightJobs } from './in-flight-jobs.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function lease(documentId: string): IngestionLease {
  return {
    leaseId: documentId,
    documentId,
    itemId: null,
    organizationId: 'organization',
    knowledgeBaseId: 'base',
    fileKey: documentId,
    fileType: 'PDF',
    sizeBytes: 1,
    isSlow: false,
  };
}

function open(inFlight = new InFlightJobs()) {
  const leases = [lease('first'), lease('second'), lease('third')] as const;
  const [first, second, third] = leases;
  const watchdog = new FairnessWatchdog(leases, inFlight);
  const signals = leases.map((one) => watchdog.signal(one));
  const returned = () => signals.map((signal) => signal.reason instanceof ReturnedError);
  return { watchdog, first, second, third, returned };
}

test('documents behind a slow one are returned once their bytes have arrived', () => {
  const { watchdog, first, second, third, returned } = open();
  watchdog.arrived(first);
  watchdog.arrived(second);
  watchdog.begin(first);
  vi.advanceTimersByTime(stuckAfterMs - 1);
  expect(returned()).toEqual([false, false, false]);
  vi.advanceTimersByTime(1);
  expect(returned()).toEqual([false, true, false]);
  watchdog.end(second);
  vi.advanceTimersByTime(60_000);
  watchdog.arrived(third);
  vi.advanceTimersByTime(stuckAfterMs);
  expect(returned()).toEqual([false, true, true]);
});

test('no document is returned while none is read, because a slow store would be as slow for other workers', () => {
  const { watchdog, first, second, third, returned } = open();
  for (const one of [first, second, third]) watchdog.arrived(one);
  vi.advanceTimersByTime(60_000);
  watchdog.begin(first);
  vi.advanceTimersByTime(stuckAfterMs - 100);
  expect(returned()).toEqual([false, false, false]);
});

test('the slow file may belong to another job', () => {
  const inFlight = new InFlightJobs();
  const other = open(inFlight);
  other.watchdog.begin(other.first);
  const { watchdog, first, returned } = open(inFlight);
  watchdog.arrived(first);
  vi.advanceTimersByTime(stuckAfterMs);
  expect(returned()).toEqual([true, false, false]);
});

test('no document is returned while the job makes progress', () => {
  const { watchdog, first, second, third, returned } = open();
  for (const one of [first, second, third]) watchdog.arrived(one);
  for (const one of [first, second]) {
    watchdog.begin(one);
    vi.advanceTimersByTime(stuckAfterMs - 100);
    watchdog.end(one);
  }
  vi.advanceTimersByTime(stuckAfterMs - 100);
  expect(returned()).toEqual([false, false, false]);
});

test("a job's only document is never returned", () => {
  const only = lease('only');
  const inFlight = new InFlightJobs();
  const other = open(inFlight);
  other.watchdog.begin(other.first);
  const watchdog = new FairnessWatchdog([only], inFlight);
  const signal = watchdog.signal(only);
  watchdog.arrived(only);
  vi.advanceTimersByTime(60_000);
  expect(signal.aborted).toBe(false);
});
