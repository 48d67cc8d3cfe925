import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { FailedCredentials } from './failed-credentials.ts';

// The only part of a request that the class reads.
const from = (remoteAddress: string) => ({ socket: { remoteAddress } }) as IncomingMessage;

function slowingDownAfter(freePerMinute: number) {
  const waits: number[] = [];
  const warned: unknown[] = [];
  const answer = Promise.withResolvers<void>();
  const failed = new FailedCredentials({
    freePerMinute,
    log: { warn: (...line: unknown[]) => warned.push(line) },
    wait: (ms) => {
      waits.push(ms);
      return answer.promise;
    },
  });
  return { failed, waits, warned, answer };
}

test('after its free failures, each further refusal to an address is delayed by a second, which is logged once', async () => {
  const { failed, waits, warned, answer } = slowingDownAfter(2);
  await failed.slowDown(from('192.0.2.1'));
  await failed.slowDown(from('192.0.2.1'));
  expect([waits, warned]).toEqual([[], []]);
  const delayed = [failed.slowDown(from('192.0.2.1')), failed.slowDown(from('192.0.2.1'))];
  expect(waits).toEqual([1_000, 1_000]);
  expect(warned).toHaveLength(1);
  answer.resolve();
  await Promise.all(delayed);
});

test('other addresses are not delayed', async () => {
  const { failed, waits } = slowingDownAfter(1);
  await failed.slowDown(from('192.0.2.1'));
  await failed.slowDown(from('192.0.2.2'));
  expect(waits).toEqual([]);
});

test('at most a hundred refusals wait at a time; others are told so at once', async () => {
  const { failed, waits, answer } = slowingDownAfter(0);
  const waiting = Array.from({ length: 100 }, () => failed.slowDown(from('192.0.2.1')));
  expect(await failed.slowDown(from('192.0.2.1'))).toBe('too_many');
  expect(waits).toHaveLength(100);
  answer.resolve();
  await Promise.all(waiting);
});
