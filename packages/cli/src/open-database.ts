import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { connect, type Db } from '@outdial/db';
import { databaseEnv, loadEnv } from '@outdial/runtime';
import { z } from 'zod';
import type { CliContext } from './run-cli.ts';

/**
 * The environment, with the database of the local stack in place of a DATABASE_URL that is not set. A running local stack writes
 * `<data-dir>/database.json`: `{"database_url": "postgres://…"}`, readable by its owner only.
 */
export function environmentOf(context: CliContext): Record<string, string | undefined> {
  const { env } = context;
  if ((env['DATABASE_URL'] ?? '').trim() !== '') return { ...env };
  const dataDirectory = resolve(context.workingDirectory, env['OUTDIAL_DATA_DIR'] ?? '.outdial');
  return { ...env, DATABASE_URL: localDatabaseUrl(dataDirectory) };
}

const databaseFile = z.object({ database_url: z.string() });

/** Undefined where no local stack runs on this data directory. */
function localDatabaseUrl(dataDirectory: string): string | undefined {
  try {
    return databaseFile.parse(JSON.parse(readFileSync(resolve(dataDirectory, 'database.json'), 'utf8')))
      .database_url;
  } catch {
    return undefined;
  }
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
