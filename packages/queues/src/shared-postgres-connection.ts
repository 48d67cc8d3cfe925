import { EventEmitter } from 'node:events';
import { assertSchemaCompatibility, PostgresConnection } from 'bullmq';
import { clientOfHosts, losesSession, postgresSession } from '@outdial/core';
import pg from 'pg';
import type { ConnectionWatch } from './connection-watch.ts';

type PgListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

const connectTimeoutMs = 2_000;

/** A connection without a reply for this long is dead. The pool replaces it. */
const silenceTimeoutMs = 10_000;

/** Whatever the database or the user have set. */
const sessionOptions = Object.entries(postgresSession)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ');

const deadlockDetected = '40P01';
const runsAtMost = 5;

/**
 * One pool and one listening connection for all queues of a publisher or consumer. BullMQ would open a pool and a listener for each queue. It
 * lets several backends share a connection, but each backend would close it; here only `end()` does.
 */
export class SharedPostgresConnection extends PostgresConnection {
  readonly #watch: ConnectionWatch;
  readonly #serialized = new WeakSet<PgListenClient>();
  #checked: Promise<void> | undefined;
  /** A demoted server accepts connections. */
  #isDemoted = false;
  #isProbing = false;
  #listener: PgListenClient | undefined;

  constructor(
    options: { readonly url: string; readonly schema: string; readonly poolMax: number },
    watch: ConnectionWatch,
  ) {
    const { connectionString, serverOptions } = splitServerOptions(options.url);
    const Client = clientOfHosts(options.url, pg.Client);
    const toPool = { Client };
    super({
      ...toPool,
      connectionString,
      schema: options.schema,
      max: options.poolMax,
      application_name: 'outdial-queues',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: silenceTimeoutMs,
      keepAlive: true,
      // Waiting for the disk would be most of a job's latency. If the server crashes within half a second and loses a job, a sweep publishes
      // it again. Outcomes and gates are not committed on these connections.
      options: [serverOptions, sessionOptions, '-c synchronous_commit=off'].filter(Boolean).join(' '),
    });
    // The listening connection is not of the pool, and BullMQ has no option for its class.
    Reflect.set(this, 'pgModule', { ...pg, Client });
    this.#watch = watch;
    this.setMaxListeners(0);
    this.on('error', (error: Error) => watch.lost(error.message));
    this.pool.on('connect', () => {
      if (!this.#isDemoted) watch.back();
    });
    watchQueries(this.pool, {
      answered: () => {
        if (this.#isDemoted) void this.#probe();
      },
      lost: (error) => {
        this.#isDemoted = true;
        watch.lost(error.message);
        // BullMQ then opens another.
        if (this.#listener instanceof EventEmitter) this.#listener.emit('error', error);
      },
    });
  }

  /** Unlike BullMQ's, repeats a failed check for the next caller, because the server may still have been starting. */
  override waitUntilReady(): Promise<void> {
    this.#checked ??= this.#check().catch((error: unknown) => {
      this.#checked = undefined;
      throw error;
    });
    return this.#checked;
  }

  override async getListenClient(): Promise<PgListenClient> {
    const client = await super.getListenClient();
    this.#listener = client;
    if (!this.#serialized.has(client)) {
      this.#serialized.add(client);
      oneQueryAtATime(client);
    }
    if (!this.#isDemoted) this.#watch.back();
    return client;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override disconnect(): Promise<void> {
    return Promise.resolve();
  }

  /** A demoted server also answers queries that only read. */
  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.write();
      this.#isDemoted = false;
      this.#watch.back();
    } catch {
      // It is still demoted. The next answer causes another probe.
    } finally {
      this.#isProbing = false;
    }
  }

  /** Does what publishing a job does, in small. Rejects if the session is read-only or the user may not write. */
  async write(): Promise<void> {
    await this.pool.query(`delete from job where queue = ''`);
  }

  end(): Promise<void> {
    return super.close();
  }

  async #check(): Promise<void> {
    await assertSchemaCompatibility(this.pool, this.schema);
    setImmediate(() => this.emit('ready'));
  }
}

/**
 * Reports whether queries succeed, and repeats victims of deadlocks: two jobs that end at the same time may deadlock while they delete the oldest
 * finished jobs. Each query calls one BullMQ function in its own transaction, so it can be repeated. The pool closes the connection of a failed query.
 */
function watchQueries(
  pool: PostgresConnection['pool'],
  { answered, lost }: { answered: () => void; lost: (error: Error) => void },
): void {
  const query = pool.query.bind(pool);
  pool.query = async <Row>(text: string, params?: readonly unknown[]) => {
    for (let run = 1; ; run++) {
      try {
        const result = await query<Row>(text, params);
        answered();
        return result;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        if (error instanceof Error && typeof code === 'string' && losesSession(code)) lost(error);
        if (code !== deadlockDetected || run >= runsAtMost) throw error;
      }
    }
  };
}

/** All workers LISTEN on this client when they start, but a pg client takes one query at a time. */
function oneQueryAtATime(client: PgListenClient): void {
  const query = client.query.bind(client);
  let last: Promise<unknown> = Promise.resolve();
  client.query = <Row>(text: string, params?: readonly unknown[]) => {
    const next = last.then(() => query<Row>(text, params));
    last = next.catch(() => undefined);
    return next;
  };
}

/** In pg, the URL's `options` replace those of the configuration, and so our settings. Separates them, so that both can be joined. */
function splitServerOptions(url: string): { connectionString: string; serverOptions: string } {
  if (!URL.canParse(url)) return { connectionString: url, serverOptions: '' };
  const parsed = new URL(url);
  const serverOptions = parsed.searchParams.get('options') ?? '';
  if (serverOptions === '') return { connectionString: url, serverOptions };
  parsed.searchParams.delete('options');
  return { connectionString: parsed.toString(), serverOptions };
}
