import { createLogger, type Logger } from '@outdial/runtime';
import { z } from 'zod';

const line = z.looseObject({ level: z.string(), msg: z.string().optional() });

export interface StackLog {
  logger: Logger;
  /** Messages that the test expects, and that do not fail it. */
  expect(message: RegExp): void;
  /** Unexpected error lines. */
  unexpectedErrors(): string[];
}

/** The log of a stack's processes. A test fails if its stack logs an unexpected error, even if all assertions pass. */
export function createStackLog(): StackLog {
  const errors: Array<{ message: string; text: string }> = [];
  const expected: RegExp[] = [];
  const logger = createLogger({
    service: 'stack',
    level: process.env['STACK_LOG'] ?? 'warn',
    destination: {
      write(text) {
        if (process.env['STACK_LOG'] !== undefined) process.stderr.write(text);
        const read = line.parse(JSON.parse(text));
        if (read.level === 'error' || read.level === 'fatal') errors.push({ message: read.msg ?? '', text });
      },
    },
  });
  return {
    logger,
    expect: (message) => void expected.push(message),
    unexpectedErrors: () =>
      errors
        .filter((error) => !expected.some((pattern) => pattern.test(error.message)))
        .map((error) => error.text.trim()),
  };
}
