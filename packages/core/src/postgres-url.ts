/** A server of a Postgres with several. */
export interface PostgresHost {
  host: string;
  port: number;
}

/** Where to connect. With `mustWrite`, standbys and read-only servers are passed over. */
export interface PostgresHosts {
  hosts: readonly PostgresHost[];
  mustWrite: boolean;
}

export type PostgresUrl =
  /** `url`: one that every parser of URLs takes. Its parameter `hosts` has the servers, if there are several. */
  { kind: 'ok'; url: string } | { kind: 'wrong'; why: string };

const defaultPort = 5432;
const hostsAtMost = 16;
const form = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^@/?#]*)(\/[^?#]*)?(\?[^#]*)?$/;
const oneHost = /^(\[[0-9a-fA-F:.]+\]|[^:,[\]\s]+)(?::(\d{1,5}))?$/;
/** Of libpq's values those with which a service that writes can work. */
const sessions = ['any', 'primary', 'read-write'];

const example =
  'postgres://user@db1.example.com:5432,db2.example.com:5432/outdial?target_session_attrs=read-write';

/** Reads the URL of a database, also one with several hosts as libpq has them (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS). */
export function readPostgresUrl(text: string): PostgresUrl {
  const [, scheme, user = '', authority = '', path = '', query = ''] = form.exec(text) ?? [];
  if (scheme === undefined) {
    return { kind: 'wrong', why: 'must be a url that begins with postgres:// or postgresql://' };
  }
  const parameters = new URLSearchParams(query);
  const session = parameters.get('target_session_attrs');
  if (session !== null && !sessions.includes(session)) {
    return {
      kind: 'wrong',
      why: `has a target_session_attrs that is none of ${sessions.join(', ')}: the service writes`,
    };
  }
  const hosts = authority.split(',');
  if (hosts.length === 1) {
    return URL.canParse(text) ? { kind: 'ok', url: text } : { kind: 'wrong', why: 'is not a url' };
  }
  if (hosts.length > hostsAtMost) return { kind: 'wrong', why: `names more than ${hostsAtMost} hosts` };
  const wrong = hosts.find((host) => readHost(host) === null);
  if (wrong !== undefined) {
    return { kind: 'wrong', why: `has a host that is not host or host:port; with several, write ${example}` };
  }
  parameters.set('hosts', hosts.join(','));
  const url = `${scheme}${user}${hosts[0]}${path}?${parameters.toString()}`;
  return URL.canParse(url) ? { kind: 'ok', url } : { kind: 'wrong', why: `is not a url like ${example}` };
}

function readHost(text: string): PostgresHost | null {
  const [, host, port] = oneHost.exec(text) ?? [];
  if (host === undefined || Number(port ?? defaultPort) > 65_535) return null;
  return { host: host.replace(/^\[(.+)\]$/, '$1'), port: Number(port ?? defaultPort) };
}

/** The servers of such a URL; null if there is one. */
export function hostsOfPostgres(url: string): PostgresHosts | null {
  const parameters = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  const named = parameters.get('hosts');
  if (named === null) return null;
  const hosts = named.split(',').flatMap((text) => readHost(text) ?? []);
  // libpq's default is any, with which the service would wait for a standby that is named first.
  return { hosts, mustWrite: parameters.get('target_session_attrs') !== 'any' };
}

/** The same URL for one of its servers. */
export function urlOfPostgresHost(url: string, { host, port }: PostgresHost): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('hosts');
  parsed.hostname = host.includes(':') ? `[${host}]` : host;
  parsed.port = String(port);
  return parsed.href;
}

/** A failover is noticed when a connection is opened. So many connections opened together share one look. */
const goodForMs = 1_000;

/**
 * Chooses a server for each new connection: the first in the URL that accepts sessions, and writes if it must.
 * @param looksGood connects to a server and finds out; rejects if it does not answer
 */
export function choosesPostgresHost(
  { hosts }: PostgresHosts,
  looksGood: (host: PostgresHost) => Promise<boolean>,
  nowMs: () => number = () => performance.now(),
): () => Promise<PostgresHost> {
  let known: { choice: Promise<PostgresHost>; atMs: number } | null = null;

  async function choose(): Promise<PostgresHost> {
    const answers = await Promise.allSettled(hosts.map((host) => looksGood(host)));
    const chosen = hosts.find((_host, n) => answers[n]?.status === 'fulfilled' && answers[n].value);
    if (chosen !== undefined) return chosen;
    const failed = answers.find((answer) => answer.status === 'rejected');
    const isReadOnly = answers.some((answer) => answer.status === 'fulfilled');
    if (failed !== undefined && !isReadOnly) throw failed.reason;
    throw new NoPrimaryError(hosts.length);
  }

  return () => {
    if (known === null || nowMs() - known.atMs > goodForMs) known = { choice: choose(), atMs: nowMs() };
    return known.choice;
  };
}

/** None of the servers accepts writes. Its code is that of Postgres for a read-only session. */
export class NoPrimaryError extends Error {
  readonly code = '25006';

  constructor(hosts: number) {
    super(`none of the ${hosts} hosts of the database accepts writes`);
    this.name = 'NoPrimaryError';
  }
}

/**
 * What the service relies on in a session, whatever the database, the user or postgresql.conf have set: how values are written and read, and how
 * transactions see each other.
 */
export const postgresSession: Readonly<Record<string, string>> = {
  client_encoding: 'UTF8',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
};
