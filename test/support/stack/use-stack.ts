import { onTestFinished } from 'vitest';
import { startStack, type Stack, type StackOptions } from './start-stack.ts';

/** A stack of the running test's own; it is closed when the test is over, and the test fails if it does not close well. */
export async function useStack(options: StackOptions): Promise<Stack> {
  const stack = await startStack(options);
  onTestFinished(() => stack.close());
  return stack;
}
