import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, inject } from 'vitest';

export interface TestDatabase {
  databaseUrl: string;
  name: string;
  /** Drops the database, and throws `LeakedConnectionsError` if a connection is open. */
  drop(): Promise<void>;
}

/** How long the server may take to notice that a pool was closed: each connection is a process, which a busy machine ends late. Only a leak waits so long. */
const closingTimeoutMs = 60_000;

/**
 * Creates a database for a test file. Call it at the top of the file. The database is dropped after the last test, and the file fails if a connection
 * is still open:
 *
 *     const database = await useTestDatabase();
 */
export async function useTestDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const database = await createTestDatabase(options);
  afterAll(() => database.drop());
  return database;
}

/**
 * By default a copy of the run's template, with all migrations, which takes about 50 ms.
 * @param options.closesWithinMs after this time, an open connection is a leak
 */
export async function createTestDatabase({
  migrated = true,
  closesWithinMs = closingTimeoutMs,
}: { migrated?: boolean; closesWithinMs?: number } = {}): Promise<TestDatabase> {
  const { adminUrl, templateDatabase } = inject('services').postgres;
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = migrated ? templateDatabase : 'template1';
  // Copying files takes a third of the CPU time of writing each page to the WAL, and test databases need not survive a crash.
  const copy = `create database ${name} template ${template} strategy file_copy`;
  await asAdmin(adminUrl, (client) => client.query(copy));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    databaseUrl: url.href,
    name,
    drop: () => asAdmin(adminUrl, (client) => drop(client, name, closesWithinMs)),
  };
}

async function drop(client: pg.Client, name: string, closesWithinMs: number) {
  const deadline = performance.now() + closesWithinMs;
  let open = await openConnections(client, name);
  while (open.length > 0 && performance.now() < deadline) {
    await delay(10);
    open = await openConnections(client, name);
  }
  await client.query(`drop database if exists ${name} with (force)`);
  if (open.length > 0) throw new LeakedConnectionsError(open);
}

async function openConnections(client: pg.Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ application_name: string; state: string; query: string }>(
    `select application_name, state, left(query, 80) as query from pg_stat_activity
     where datname = $1 and backend_type = 'client backend'`,
    [name],
  );
  return rows.map((row) => `${row.application_name || 'unnamed'} (${row.state}): ${row.query}`);
}

async function asAdmin<Result>(
  adminUrl: string,
  act: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

export class LeakedConnectionsError extends Error {
  readonly code = 'leaked_connections';

  constructor(open: readonly string[]) {
    super(`${open.length} connections to the test database were left open:\n  ${open.join('\n  ')}`);
    this.name = 'LeakedConnectionsError';
  }
}
