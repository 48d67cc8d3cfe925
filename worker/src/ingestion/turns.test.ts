import type { IngestionLease } from '@outdial/db';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HandedBackError, Turns } from './turns.ts';
import { UnderWay } from './under-way.ts';

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
  };
}

function open(underWay = new UnderWay()) {
  const leases = [lease('first'), lease('second'), lease('third')] as const;
  const [first, second, third] = leases;
  const turns = new Turns(leases, underWay);
  const signals = leases.map((one) => turns.signal(one));
  const handedBack = () => signals.map((signal) => signal.reason instanceof HandedBackError);
  return { turns, first, second, third, handedBack };
}

test('what is there is handed back behind one that takes long, and what is not there is kept until it is', () => {
  const { turns, first, second, third, handedBack } = open();
  turns.arrived(first);
  turns.arrived(second);
  turns.begin(first);
  vi.advanceTimersByTime(999);
  expect(handedBack()).toEqual([false, false, false]);
  vi.advanceTimersByTime(1);
  expect(handedBack()).toEqual([false, true, false]);
  turns.end(second);
  vi.advanceTimersByTime(60_000);
  turns.arrived(third);
  vi.advanceTimersByTime(1_000);
  expect(handedBack()).toEqual([false, true, true]);
});

test('none is handed back while nothing is read: a store or a process that is slow is so for others too', () => {
  const { turns, first, second, third, handedBack } = open();
  for (const one of [first, second, third]) turns.arrived(one);
  vi.advanceTimersByTime(60_000);
  turns.begin(first);
  vi.advanceTimersByTime(900);
  expect(handedBack()).toEqual([false, false, false]);
});

test('the file that takes long may be one of another job', () => {
  const underWay = new UnderWay();
  const other = open(underWay);
  other.turns.begin(other.first);
  const { turns, first, handedBack } = open(underWay);
  turns.arrived(first);
  vi.advanceTimersByTime(1_000);
  expect(handedBack()).toEqual([true, false, false]);
});

test('none is handed back while one after the other is read', () => {
  const { turns, first, second, third, handedBack } = open();
  for (const one of [first, second, third]) turns.arrived(one);
  for (const one of [first, second]) {
    turns.begin(one);
    vi.advanceTimersByTime(900);
    turns.end(one);
  }
  vi.advanceTimersByTime(900);
  expect(handedBack()).toEqual([false, false, false]);
});

test('one that came alone waits', () => {
  const only = lease('only');
  const underWay = new UnderWay();
  const other = open(underWay);
  other.turns.begin(other.first);
  const turns = new Turns([only], underWay);
  const signal = turns.signal(only);
  turns.arrived(only);
  vi.advanceTimersByTime(60_000);
  expect(signal.aborted).toBe(false);
});
