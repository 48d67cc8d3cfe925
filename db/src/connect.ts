import pg from 'pg';
import { clientOfHosts, postgresSession } from '@outdial/core';
import { Kysely, sql } from 'kysely';
import { ConnectionTurns } from './postgres/connection-turns.ts';
import { PipelinedDialect } from './postgres/pipelined-driver.ts';
import type { Database } from './schema/index.ts';
import type { Db } from './transaction.ts';
import type { Role } from './schema/organizations.ts';
import { deferred } from './postgres/deferred.ts';
import { prepared } from './postgres/prepared.ts';

export interface ConnectOptions {
  /** As `readPostgresUrl` returns it, if there are several hosts. */
  databaseUrl: string;
  /** False behind a pooler that loses prepared statements. */
  prepares?: boolean;
  /** More queries wait for a connection. */
  poolMax?: number;
  /** Connections that stay open while idle. */
  poolMin?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  statementTimeoutMs?: number;
  /** How long a query waits for a connection. */
  connectTimeoutMs?: number;
  /** Called when an idle connection breaks. The pool replaces it. */
  onIdleError?: (error: Error) => void;
}

/** A pool for a library with its own statements. Close it with `end()`. */
export function openPool(
  options: Required<Pick<ConnectOptions, 'databaseUrl' | 'poolMax' | 'applicationName'>>,
): pg.Pool {
  const pool = new pg.Pool({
    Client: clientOfHosts(options.databaseUrl, pg.Client),
    connectionString: options.databaseUrl,
    max: options.poolMax,
    application_name: options.applicationName,
    statement_timeout: 5_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Such a client takes one query at a time, so the pool waits for this one.
    // oxlint-disable-next-line typescript/no-misused-promises -- pg-pool awaits it, which the types of pg leave out
    onConnect: prepareSession,
  });
  pool.on('error', () => undefined);
  return pool;
}

const pools = new WeakMap<Db, { pool: pg.Pool; turns: ConnectionTurns }>();

/** Null if `db` is not from `connect`. `waiting` counts queries without a connection, also those that wait for their organization's turn. */
export function poolUse(db: Db): { open: number; idle: number; waiting: number } | null {
  const use = pools.get(db);
  if (use === undefined) return null;
  const { pool, turns } = use;
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount + turns.waiting };
}

/** Opens a pool, which connects at the first query. Close it with `db.destroy()`. */
export function connect(options: ConnectOptions): Db {
  const pool = new pg.Pool({
    Client: clientOfHosts(options.databaseUrl, pg.Client),
    connectionString: options.databaseUrl,
    max: options.poolMax ?? 10,
    min: options.poolMin ?? 0,
    application_name: options.applicationName ?? 'outdial',
    statement_timeout: options.statementTimeoutMs ?? 60_000,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    // Longer than a minute, so that work of each minute keeps its connections.
    idleTimeoutMillis: 90_000,
    // A transaction that its process forgot must not keep its locks.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    // Some networks drop connections that are silent for minutes, and idle ones may be silent for a night.
    keepAliveInitialDelayMillis: 30_000,
    pipeline: true,
  });
  // Without this listener, a broken idle connection would crash the process.
  pool.on('error', (error) => options.onIdleError?.(error));
  pool.on('connect', (client) => void prepareSession(client).catch(() => undefined));
  const turns = new ConnectionTurns(pool.options.max);
  const db = new Kysely<Database>({ dialect: new PipelinedDialect(pool, turns, options.prepares ?? true) });
  pools.set(db, { pool, turns });
  return db;
}

const settings = Object.entries(postgresSession);
const setSession = {
  text: `select ${settings.map((_, n) => `set_config($${n * 2 + 1}, $${n * 2 + 2}, false)`).join(', ')}`,
  values: settings.flat(),
};

/** Sets what the service relies on before the first query of a session. Not at its start, where poolers refuse `options`; they keep these settings for each client. */
async function prepareSession(client: pg.ClientBase): Promise<void> {
  // The pool does not listen to connections in use. If one breaks, its current or next query fails, and so does this one.
  client.on('error', () => undefined);
  await client.query(setSession);
}

const leastFirst: readonly Role[] = ['viewer', 'member', 'manager', 'admin'];

/** Returns the role with fewer rights, because a key never has more rights than its user. */
export function lesserRole(one: Role, other: Role): Role {
  return leastFirst.indexOf(one) <= leastFirst.indexOf(other) ? one : other;
}

/**
 * Does what requests do, in small: prepared statements in a transaction that writes, and one of them again, since a pooler may lead each transaction to
 * another session. Rejects on a read-only server, for a user who may not write, and behind a pooler that loses prepared statements.
 */
export async function writeAsRequestsDo(db: Db): Promise<void> {
  const read = sql`select ${1}::integer as one`;
  await db.transaction().execute(async (tx) => {
    await deferred(read, tx);
    await deferred(sql`update outage_watch set reached_at = reached_at where ${true}`, tx);
  });
  await read.execute(prepared(db));
}
