import { resolve } from 'node:path';
import { connect, type Db } from '@outdial/db';
import { databaseEnv, loadEnv } from '@outdial/runtime';
import { findLocalStack } from './local-stack.ts';
import type { CliContext } from './run-cli.ts';

/**
 * The environment, with the database and the settings of the running local stack where DATABASE_URL is not set. What is set in the
 * environment itself goes first.
 */
export function environmentOf(context: CliContext): Record<string, string | undefined> {
  const { env } = context;
  if (isSet(env['DATABASE_URL'])) return { ...env };
  const dataDirectory = env['OUTDIAL_DATA_DIR'];
  const stack = findLocalStack(
    resolve(context.workingDirectory, isSet(dataDirectory) ? dataDirectory : '.outdial'),
  );
  if (stack === null) return { ...env };
  const own = Object.fromEntries(Object.entries(env).filter(([, value]) => isSet(value)));
  return { ...stack.settings, ...own, DATABASE_URL: stack.database_url };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

/** Runs `work` on the database that the environment names, and closes it. */
export async function withDatabase<T>(context: CliContext, work: (db: Db) => Promise<T>): Promise<T> {
  const { database } = loadEnv({ database: databaseEnv }, environmentOf(context));
  const db = connect({ databaseUrl: database.url, poolMax: 2, applicationName: 'outdial-cli' });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
