import { assertSchemaCompatibility, PostgresConnection } from 'bullmq';
import type { ConnectionWatch } from './connection-watch.ts';

export interface SharedPostgresOptions {
  readonly url: string;
  readonly schema: string;
  readonly poolMax: number;
}

const CONNECT_TIMEOUT_MS = 2_000;

/**
 * One pool and one listening connection for all queues and workers of a process's publisher or consumer. BullMQ would
 * open a pool and a listener for each of them; it lets several backends use one connection, but each of them would
 * close it. Here only `end()` does.
 */
export class SharedPostgresConnection extends PostgresConnection {
  readonly #watch: ConnectionWatch;
  #checked: Promise<void> | undefined;

  constructor(options: SharedPostgresOptions, watch: ConnectionWatch) {
    const { connectionString, serverOptions } = splitServerOptions(options.url);
    super({
      connectionString,
      schema: options.schema,
      max: options.poolMax,
      application_name: 'outdial-queues',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      // Jobs are hints: one that is lost when the server crashes within the next half second is repaired by the sweeps,
      // and waiting for the disk would be most of a job's latency. Outcomes and gates are committed elsewhere.
      options: [serverOptions, '-c synchronous_commit=off'].filter(Boolean).join(' '),
    });
    this.#watch = watch;
    this.setMaxListeners(0);
    this.on('error', (error: Error) => watch.lost(error.message));
    this.pool.on('connect', () => watch.back());
  }

  /** Like BullMQ's, but a check that failed (a server that is still starting) is made again by the next caller. */
  override waitUntilReady(): Promise<void> {
    this.#checked ??= this.#check().catch((error: unknown) => {
      this.#checked = undefined;
      throw error;
    });
    return this.#checked;
  }

  override async getListenClient(): ReturnType<PostgresConnection['getListenClient']> {
    const client = await super.getListenClient();
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

/** pg lets the url win over the configuration, so `options` in it would take our search path away: they are joined. */
function splitServerOptions(url: string): { connectionString: string; serverOptions: string } {
  if (!URL.canParse(url)) {
    return { connectionString: url, serverOptions: '' };
  }
  const parsed = new URL(url);
  const serverOptions = parsed.searchParams.get('options') ?? '';
  if (serverOptions === '') {
    return { connectionString: url, serverOptions };
  }
  parsed.searchParams.delete('options');
  return { connectionString: parsed.toString(), serverOptions };
}
