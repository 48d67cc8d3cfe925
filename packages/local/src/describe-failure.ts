import { StartError } from './start-error.ts';

/** One line for the terminal without a stack, and the exit status. */
export function describeFailure(error: unknown): { text: string; exitStatus: number } {
  if (error instanceof StartError) return { text: error.message, exitStatus: error.exitStatus };
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { text: `Unexpected error: ${words.split('\n')[0]}`, exitStatus: 1 };
}
