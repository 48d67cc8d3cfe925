import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { type AuditOrigin, connect, type Db, runAudited } from '@outdial/db';
import { telephonyEnv } from '@outdial/providers/environment';
import {
  authEnv,
  databaseEnv,
  loadEnv,
  queueEnv,
  misspeltMessage,
  misspeltVariables,
  readVariableFiles,
  voiceEndpointsEnv,
  voiceToolsEnv,
} from '@outdial/runtime';
import { UsageError } from './cli-error.ts';
import { findLocalStack } from './local-stack.ts';
import type { CliContext } from './cli-context.ts';

/** The environment. Without DATABASE_URL, adds the database and settings of the running local stack; the environment takes precedence. */
export function environmentOf(context: CliContext): Record<string, string | undefined> {
  const env = readVariableFiles(context.env, [
    databaseEnv,
    queueEnv,
    authEnv,
    telephonyEnv,
    voiceEndpointsEnv,
    voiceToolsEnv,
  ]);
  if (isSet(env['DATABASE_URL'])) return env;
  const dataDirectory = env['OUTDIAL_DATA_DIR'];
  const stack = findLocalStack(
    resolve(context.workingDirectory, isSet(dataDirectory) ? dataDirectory : '.outdial'),
  );
  if (stack === null) return env;
  const own = Object.fromEntries(Object.entries(env).filter(([, value]) => isSet(value)));
  return { ...stack.settings, ...own, DATABASE_URL: stack.database_url };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

/**
 * Runs `work` with the configured database, and closes it. The audit log records its changes.
 * @throws UsageError if no database is configured and no local stack runs
 */
export async function withDatabase<T>(context: CliContext, work: (db: Db) => Promise<T>): Promise<T> {
  const env = environmentOf(context);
  const parts = { database: databaseEnv };
  // Programs read what is written with --json.
  const isForPeople = context.command?.options.includes('json') !== true;
  for (const misspelt of isForPeople ? misspeltVariables(env, Object.values(parts)) : []) {
    context.err.write(`outdial: ${misspeltMessage(misspelt)}\n`);
  }
  if (!isSet(env['DATABASE_URL'])) {
    const folder = isSet(env['OUTDIAL_DATA_DIR']) ? env['OUTDIAL_DATA_DIR'] : '.outdial';
    throw new UsageError(
      `DATABASE_URL is not set, and no local stack runs on ${folder}: start one, or set OUTDIAL_DATA_DIR to its folder`,
    );
  }
  const { database } = loadEnv(parts, env);
  const { url: databaseUrl, prepares } = database;
  const db = connect({ databaseUrl, prepares, poolMax: 2, applicationName: 'outdial-cli' });
  try {
    return await runAudited(originOf(context), () => work(db));
  } finally {
    await db.destroy();
  }
}

/** An operator's changes are logged for the account that runs the command. The organization is added once it is known. */
function originOf({ command }: CliContext): AuditOrigin {
  return {
    actor: { kind: 'operator', name: operatorName() },
    organizationId: null,
    action: command?.name ?? 'outdial',
    target: null,
    fields: command?.options.filter((name) => name !== 'json') ?? [],
  };
}

function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without a name, as containers may have.
    return 'unknown';
  }
}
