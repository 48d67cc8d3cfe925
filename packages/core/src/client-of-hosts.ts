import { choosesPostgresHost, hostsOfPostgres, urlOfPostgresHost } from './postgres-url.ts';

/** A server that does not answer must not hold up the others. */
const lookMs = 2_000;

/** What is used of pg's client. */
interface PgClient {
  connect(): Promise<unknown>;
  query(text: string): Promise<{ rows: ReadonlyArray<Record<string, unknown>> }>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * pg's client. If the URL names several hosts, it looks for the right one before it connects. A server may end a session between two statements, or as the
 * session begins; then the next statement fails. Without a listener, the error event would end the process.
 */
export function clientOfHosts<Client extends new (...args: never[]) => PgClient>(
  url: string,
  Client: Client,
): Client {
  const several = hostsOfPostgres(url);
  if (several === null) {
    return new Proxy(Client, { construct: (_target, args) => clientWith(Client, args) });
  }
  const choose = choosesPostgresHost(several, (host) => {
    const config = {
      connectionString: urlOfPostgresHost(url, host),
      connectionTimeoutMillis: lookMs,
      query_timeout: lookMs,
      application_name: 'outdial-look',
    };
    return looksGood(clientWith(Client, [config]), several.mustWrite);
  });
  return new Proxy(Client, {
    construct(_target, args) {
      const client = clientWith(Client, args);
      const connect = client.connect.bind(client);
      return Object.assign(client, {
        connect(report?: (error: Error | null, client?: PgClient) => void): Promise<unknown> | undefined {
          const connected = choose().then((host) => {
            Object.assign(client, host);
            return connect();
          });
          if (report === undefined) return connected;
          connected.then(() => report(null, client), report);
          return undefined;
        },
      });
    },
  });
}

function clientWith(Client: new (...args: never[]) => PgClient, args: unknown[]): PgClient {
  // pg's own arguments.
  const client = new Client(...(args as never[]));
  client.on('error', () => undefined);
  return client;
}

async function looksGood(client: PgClient, mustWrite: boolean): Promise<boolean> {
  try {
    await client.connect();
    if (!mustWrite) return true;
    const { rows } = await client.query('show transaction_read_only');
    return rows.some((row) => row['transaction_read_only'] === 'off');
  } finally {
    client.end().catch(() => undefined);
  }
}
