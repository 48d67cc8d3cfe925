import { afterAll, afterEach, expect, onTestFinished } from 'vitest';
import { outboxFaults } from '../outbox-faults.ts';
import { startStack, type Stack, type StackOptions } from './start-stack.ts';

/**
 * A stack of the running test's own; it is closed when the test is over, and the test fails if it does not close well, or if its outbox
 * tells something else than its tables.
 */
export async function useStack(options: StackOptions): Promise<Stack> {
  const stack = await startStack(options);
  onTestFinished(async () => {
    try {
      expect(await outboxFaults(stack.db)).toEqual([]);
    } finally {
      await stack.close();
    }
  });
  return stack;
}

/**
 * A stack for all tests of a file, whose organizations are their own: to start one costs more than most tests. Called at the top of the
 * file. The outbox is checked after each test, and the file fails if the stack does not close well.
 */
export async function useFileStack(options: StackOptions): Promise<Stack> {
  const stack = await startStack(options);
  afterEach(async () => expect(await outboxFaults(stack.db)).toEqual([]));
  afterAll(() => stack.close());
  return stack;
}
