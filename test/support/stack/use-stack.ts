import { afterAll, afterEach, expect, onTestFinished } from 'vitest';
import { outboxFaults } from '../outbox-faults.ts';
import { startStack, type Stack, type StackOptions } from './start-stack.ts';

/** Starts a stack for the current test, and closes it afterwards. The test fails if closing fails, or if the outbox disagrees with the tables. */
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
 * Starts a stack for all tests of a file, because a start costs more than most tests; each test has its own organization. Call it at the top of the
 * file. Checks the outbox after each test. The file fails if closing fails.
 */
export async function useFileStack(options: StackOptions): Promise<Stack> {
  const stack = await startStack(options);
  afterEach(async () => expect(await outboxFaults(stack.db)).toEqual([]));
  afterAll(() => stack.close());
  return stack;
}
