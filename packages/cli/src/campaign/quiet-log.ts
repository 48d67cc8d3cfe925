import type { StatusDeps } from '@outdial/engine';
import type { CliContext } from '../cli-context.ts';

/** The engine's log on a command line: only what a person should know, in a line. */
export function quietLog({ err }: CliContext): StatusDeps['log'] {
  const tell = (_fields: object, message: string) => err.write(`outdial: ${message}\n`);
  return { debug: () => undefined, info: () => undefined, warn: tell, error: tell };
}
