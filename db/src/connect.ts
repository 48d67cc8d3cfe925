import { Kysely } from 'kysely';
import pg from 'pg';
import { PipelinedDialect } from './postgres/pipelined-driver.ts';
import type { Database } from './schema/index.ts';
import type { Db } from './transaction.ts';

export interface ConnectOptions {
  databaseUrl: string;
  /** Connections at most; further queries wait for one. */
  poolMax?: number;
  /** Connections that stay open while idle. */
  poolMin?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** No statement runs longer. */
  statementTimeoutMs?: number;
  /** Told of connections that broke while idle; the pool replaces them. */
  onIdleError?: (error: Error) => void;
}

/** A pool for a library that brings its own statements. End it with `end()`. */
export function openPool(
  options: Required<Pick<ConnectOptions, 'databaseUrl' | 'poolMax' | 'applicationName'>>,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.poolMax,
    application_name: options.applicationName,
    statement_timeout: 5_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

const pools = new WeakMap<Db, pg.Pool>();

/** Connections of a pool: open, unused, and queries that wait for one. Null for what is no pool. */
export function poolUse(db: Db): { open: number; idle: number; waiting: number } | null {
  const pool = pools.get(db);
  return pool === undefined
    ? null
    : { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

/** Opens a pool. Nothing is connected before the first query. End it with `db.destroy()`. */
export function connect(options: ConnectOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.poolMax ?? 10,
    min: options.poolMin ?? 0,
    application_name: options.applicationName ?? 'outdial',
    statement_timeout: options.statementTimeoutMs ?? 60_000,
    connectionTimeoutMillis: 10_000,
    // A transaction that its process forgot must not hold its locks.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    // Connections that are kept open sleep for a night, and some networks forget what is silent for minutes.
    keepAliveInitialDelayMillis: 30_000,
    pipeline: true,
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', (error) => options.onIdleError?.(error));
  // Nor may one that breaks while it is in use: the pool listens only to idle ones. Its user learns of it by the
  // query in flight, or by the next one.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Database>({ dialect: new PipelinedDialect(pool) });
  pools.set(db, pool);
  return db;
}
