import type { StatusDeps } from '@outdial/engine';
import type { CliContext } from '../cli-context.ts';

/** The engine's log for a command line: warnings and errors, one line each. */
export function quietLog({ err }: CliContext): StatusDeps['log'] {
  const tell = (_fields: object, message: string) => err.write(`outdial: ${message}\n`);
  return { debug: () => undefined, info: () => undefined, warn: tell, error: tell };
}
