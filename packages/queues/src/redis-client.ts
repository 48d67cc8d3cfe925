import { Cluster, Redis } from 'ioredis';
import type { CommonRedisOptions } from 'ioredis';
import type { BackendRole } from './backend.ts';
import { defaultRedisPrefix, type QueueBackendConfig, type SentinelConfig } from './backend-config.ts';
import { isDemotion } from './connection-failure.ts';
import { closedReason, type ConnectionWatch } from './connection-watch.ts';

const connectTimeoutMs = 2_000;
const commandTimeoutMs = 2_000;
const maxReconnectDelayMs = 500;

/** Bounded, so that clients reconnect within half a second of Redis's return. */
function reconnectDelayMs(tries: number): number {
  return Math.min(tries * 50, maxReconnectDelayMs);
}

/**
 * Without a connection, a publisher's commands fail at once: an offline queue would grow without bound, and its callers have given up. A
 * consumer's commands wait, as BullMQ's workers require (`maxRetriesPerRequest: null`). A connection without a reply for `socketTimeout` is
 * dead and is reopened. A consumer's is longer than its blocking wait for jobs, which takes at most 10 s.
 */
const roleOptions = {
  publisher: {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: commandTimeoutMs,
    socketTimeout: 3_000,
  },
  consumer: { enableOfflineQueue: true, maxRetriesPerRequest: null, socketTimeout: 15_000 },
} as const satisfies Record<BackendRole, CommonRedisOptions>;

export function connectRedis(
  config: Extract<QueueBackendConfig, { kind: 'redis' }>,
  role: BackendRole,
  watch: ConnectionWatch,
): Redis | Cluster {
  let isDemoted = false;
  let asking: NodeJS.Timeout | undefined;
  const options = {
    ...roleOptions[role],
    connectTimeout: connectTimeoutMs,
    keepAlive: 10_000,
    retryStrategy: (tries: number) => (isDemoted ? maxReconnectDelayMs : reconnectDelayMs(tries)),
    // Rejects the command and opens a new connection. Sending it again would wait in a loop for the end of the failover.
    reconnectOnError(error: Error) {
      if (!isDemotion(error)) return false;
      isDemoted = true;
      watch.lost(error.message);
      askLater();
      return true;
    },
  };
  const { url, cluster, sentinel } = config;
  const client = cluster
    ? new Cluster([url], { redisOptions: options, clusterRetryStrategy: reconnectDelayMs })
    : sentinel
      ? new Redis({ ...options, ...throughSentinels(url, sentinel) })
      : new Redis(url, options);
  client.on('error', (error: Error) => watch.lost(error.message || error.name));
  client.on('close', () => watch.lost(closedReason));
  // A replica is ready too, and so is a server without memory left.
  client.on('ready', () => void backIfWritable());

  async function backIfWritable(): Promise<void> {
    try {
      if (isDemoted) await writeToRedis(client, config.prefix ?? defaultRedisPrefix);
      isDemoted = false;
      watch.back();
    } catch {
      // A new connection asks again.
      if (client.status === 'ready') askLater();
    }
  }

  /** Also for a cluster, which stays ready while it connects to one of its nodes again. */
  function askLater(): void {
    clearTimeout(asking);
    asking = setTimeout(() => void backIfWritable(), maxReconnectDelayMs).unref();
  }
  return client;
}

function throughSentinels(url: string, { name, hosts, password: ofSentinels }: SentinelConfig) {
  const { username, password, pathname, protocol } = new URL(url);
  return {
    sentinels: hosts.map((host) => ({ ...host })),
    name,
    sentinelRetryStrategy: reconnectDelayMs,
    // Leaves a primary that was demoted without closing its connections.
    failoverDetector: true,
    db: Number(pathname.slice(1)) || 0,
    ...(ofSentinels !== undefined && { sentinelPassword: ofSentinels }),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

const keptMs = 60_000;

/** Does what publishing a job does, in small: a script that writes. Rejects if the server is a replica, has no memory left or forbids it to the user. */
export async function writeToRedis(client: Redis | Cluster, prefix: string): Promise<void> {
  await client.eval(`redis.call('set', KEYS[1], '', 'px', ARGV[1])`, 1, `{${prefix}:ready}`, keptMs);
}

/** `INFO` takes longer than a check of readiness. */
const policyLastsMs = 60_000;

/** Says whether the server may evict jobs, at most a minute late. Null for a user who may not ask. */
export function evictionsReader(client: Redis | Cluster): () => Promise<string | null> {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let warning: string | null = null;
  return async () => {
    if (performance.now() - readAtMs < policyLastsMs) return warning;
    readAtMs = performance.now();
    const memory = await client.info('memory').catch(() => '');
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
    warning =
      policy === 'noeviction'
        ? null
        : `may evict jobs: set its maxmemory-policy to noeviction, not ${policy}`;
    return warning;
  };
}
