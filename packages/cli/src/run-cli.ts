import { CodedError } from '@outdial/core';
import { ForeignDatabaseError, MigrationFailedError, postgresCode } from '@outdial/db';
import { EnvError } from '@outdial/runtime';
import { CommanderError } from 'commander';
import type { CliContext } from './cli-context.ts';
import { CliError, UsageError, type FileFault } from './cli-error.ts';
import { buildProgram } from './program.ts';

/** Runs a command and returns the exit status: 0, 1 for a failure, 2 for wrong usage. Never throws. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  try {
    await buildProgram(context).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // A group without a command has shown its help.
    if (error instanceof CommanderError && error.code === 'commander.help') return 2;
    const failure = describe(error);
    context.err.write(args.includes('--json') ? `${JSON.stringify(failure.json)}\n` : failure.text);
    return failure.status;
  }
}

interface Failure {
  status: 1 | 2;
  text: string;
  json: object;
}

function describe(error: unknown): Failure {
  if (error instanceof CommanderError) {
    // Commander begins its messages with "error: ", and puts suggestions on a separate line.
    return failure(2, 'usage', error.message.replace(/^error: /, '').replaceAll('\n', ' '));
  }
  if (error instanceof UsageError) return failure(2, error.code, error.message);
  if (error instanceof CliError) return failure(1, error.code, error.message, error);
  if (error instanceof EnvError) return failure(2, error.code, error.faults.join('; '));
  if (error instanceof CodedError) return failure(1, error.code, error.publicMessage);
  return failure(1, ...unexpected(error));
}

function failure(
  status: 1 | 2,
  code: string,
  message: string,
  { faults, unit }: { faults: readonly FileFault[]; unit: string } = { faults: [], unit: 'line' },
): Failure {
  const lines = [
    `outdial: ${message}`,
    ...faults.map((fault) => `  ${unit} ${fault.line}: ${fault.message}`),
  ];
  const error = { code, message, ...(faults.length > 0 && { faults }) };
  return { status, text: `${lines.join('\n')}\n`, json: { error } };
}

const unreachableBecause: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens at its host and port; is the server running?'],
  ['ENOTFOUND', 'its host name is unknown'],
  ['EAI_AGAIN', 'its host name cannot be looked up'],
  ['ETIMEDOUT', 'it does not answer; is a firewall between?'],
  ['EHOSTUNREACH', 'no network leads to its host'],
]);

/** Errors of the database and of the file system, in a line; never SQL. */
function unexpected(error: unknown): [code: string, message: string] {
  const code = postgresCode(error);
  if (code === '42P01') {
    return ['not_migrated', 'the database has no tables yet: run `outdial migrate` first'];
  }
  if (code === '3D000') return ['no_database', 'the database of DATABASE_URL does not exist'];
  if (code === '28P01' || code === '28000') {
    return ['database_refused', 'the database refused the user or password of DATABASE_URL'];
  }
  const unreachable = code === undefined ? undefined : unreachableBecause.get(code);
  if (unreachable !== undefined) {
    return ['database_unreachable', `the database of DATABASE_URL cannot be reached: ${unreachable}`];
  }
  if (error instanceof MigrationFailedError || error instanceof ForeignDatabaseError) {
    return [error.code, error.message];
  }
  return ['failed', error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : String(error)];
}
