import { expect, test } from 'vitest';
import { FifoQueue } from './fifo-queue.ts';

const never = new AbortController().signal;

test('waiters are admitted one by one, in order of arrival', async () => {
  const line = new FifoQueue();
  const inside: string[] = [];
  const both = Promise.all(['first', 'second'].map((who) => line.wait(never).then(() => inside.push(who))));
  expect(line.letIn()).toBe(true);
  await new Promise((resolve) => setTimeout(resolve));
  expect(inside).toEqual(['first']);
  expect(line.letIn()).toBe(true);
  await both;
  expect(inside).toEqual(['first', 'second']);
  expect([line.isEmpty, line.letIn()]).toEqual([true, false]);
});

test('an aborted waiter leaves the queue and does not delay the others', async () => {
  const line = new FifoQueue();
  const patience = new AbortController();
  const gaveUp = line.wait(patience.signal);
  const behind = line.wait(never);
  patience.abort(new Error('no longer'));
  await expect(gaveUp).rejects.toThrow('no longer');
  expect(line.letIn()).toBe(true);
  await behind;
  await expect(line.wait(patience.signal)).rejects.toThrow('no longer');
  expect(line.isEmpty).toBe(true);
});
