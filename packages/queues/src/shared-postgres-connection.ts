import { assertSchemaCompatibility, PostgresConnection } from 'bullmq';
import type { ConnectionWatch } from './connection-watch.ts';

export interface SharedPostgresOptions {
  readonly url: string;
  readonly schema: string;
  readonly poolMax: number;
}

type PgListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

const CONNECT_TIMEOUT_MS = 2_000;

/** A connection that owes an answer for so long is dead although it was not closed; the pool replaces it. */
const SILENCE_TIMEOUT_MS = 10_000;

const DEADLOCK_DETECTED = '40P01';
const RUNS_AT_MOST = 5;

/**
 * One pool and one listening connection for all queues and workers of a process's publisher or consumer. BullMQ would
 * open a pool and a listener for each of them; it lets several backends use one connection, but each of them would
 * close it. Here only `end()` does.
 */
export class SharedPostgresConnection extends PostgresConnection {
  readonly #watch: ConnectionWatch;
  readonly #serialized = new WeakSet<PgListenClient>();
  #checked: Promise<void> | undefined;

  constructor(options: SharedPostgresOptions, watch: ConnectionWatch) {
    const { connectionString, serverOptions } = splitServerOptions(options.url);
    super({
      connectionString,
      schema: options.schema,
      max: options.poolMax,
      application_name: 'outdial-queues',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: SILENCE_TIMEOUT_MS,
      keepAlive: true,
      // A job may be lost: one that is lost when the server crashes within the next half second is repaired by the sweeps,
      // and waiting for the disk would be most of a job's latency. Outcomes and gates are committed elsewhere.
      options: [serverOptions, '-c synchronous_commit=off'].filter(Boolean).join(' '),
    });
    this.#watch = watch;
    this.setMaxListeners(0);
    this.on('error', (error: Error) => watch.lost(error.message));
    this.pool.on('connect', () => watch.back());
    againAfterDeadlocks(this.pool);
  }

  /** Like BullMQ's, but a check that failed (a server that is still starting) is made again by the next caller. */
  override waitUntilReady(): Promise<void> {
    this.#checked ??= this.#check().catch((error: unknown) => {
      this.#checked = undefined;
      throw error;
    });
    return this.#checked;
  }

  override async getListenClient(): Promise<PgListenClient> {
    const client = await super.getListenClient();
    if (!this.#serialized.has(client)) {
      this.#serialized.add(client);
      oneQueryAtATime(client);
    }
    this.#watch.back();
    return client;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override disconnect(): Promise<void> {
    return Promise.resolve();
  }

  /** Closes the listener and the pool for good. */
  end(): Promise<void> {
    return super.close();
  }

  async #check(): Promise<void> {
    await assertSchemaCompatibility(this.pool, this.schema);
    setImmediate(() => this.emit('ready'));
  }
}

/**
 * Each query is one call of one of BullMQ's functions, so a transaction of its own, which may run again. Two jobs that end at the same
 * time can wait for each other when each clears away the oldest of those that are kept; Postgres ends one of the two.
 */
function againAfterDeadlocks(pool: PostgresConnection['pool']): void {
  const query = pool.query.bind(pool);
  pool.query = async <Row>(text: string, params?: readonly unknown[]) => {
    for (let run = 1; ; run++) {
      try {
        return await query<Row>(text, params);
      } catch (error) {
        const isVictim = error instanceof Error && 'code' in error && error.code === DEADLOCK_DETECTED;
        if (!isVictim || run >= RUNS_AT_MOST) throw error;
      }
    }
  };
}

/** All workers LISTEN on the one client as they start, and pg wants a client's queries one after the other. */
function oneQueryAtATime(client: PgListenClient): void {
  const query = client.query.bind(client);
  let last: Promise<unknown> = Promise.resolve();
  client.query = <Row>(text: string, params?: readonly unknown[]) => {
    const next = last.then(() => query<Row>(text, params));
    last = next.catch(() => undefined);
    return next;
  };
}

/** pg lets the url win over the configuration, so `options` in it would take our search path away: they are joined. */
function splitServerOptions(url: string): { connectionString: string; serverOptions: string } {
  if (!URL.canParse(url)) return { connectionString: url, serverOptions: '' };
  const parsed = new URL(url);
  const serverOptions = parsed.searchParams.get('options') ?? '';
  if (serverOptions === '') return { connectionString: url, serverOptions };
  parsed.searchParams.delete('options');
  return { connectionString: parsed.toString(), serverOptions };
}
