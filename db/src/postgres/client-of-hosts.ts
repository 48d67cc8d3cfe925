import { callbackify } from 'node:util';
import { choosesPostgresHost, hostsOfPostgres, urlOfPostgresHost, type PostgresHost } from '@outdial/core';
import pg from 'pg';

/** A server that does not answer must not hold up the others. */
const lookMs = 2_000;

/** pg's client, or for a URL with several hosts one that looks for the right one before it connects. */
export function clientOfHosts(url: string): typeof pg.Client {
  const several = hostsOfPostgres(url);
  if (several === null) return pg.Client;
  const choose = choosesPostgresHost(several, (host) => looksGood(url, host, several.mustWrite));
  return class ClientOfHosts extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
    override connect(
      callback?: ((error: Error) => void) | ((error: null, client: pg.Client) => void),
    ): Promise<pg.Client> | void {
      const connected = choose().then((host) => {
        Object.assign(this, host);
        return super.connect();
      });
      if (callback === undefined) return connected;
      // pg declares one callback as two.
      callbackify(() => connected)(callback as (error: Error | null, client: pg.Client) => void);
    }
  };
}

async function looksGood(url: string, host: PostgresHost, mustWrite: boolean): Promise<boolean> {
  const client = new pg.Client({
    connectionString: urlOfPostgresHost(url, host),
    connectionTimeoutMillis: lookMs,
    query_timeout: lookMs,
    application_name: 'outdial-look',
  });
  // A connection that breaks fails the query too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (!mustWrite) return true;
    const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
    return rows[0]?.transaction_read_only === 'off';
  } finally {
    client.end().catch(() => undefined);
  }
}
