import { Cluster, Redis } from 'ioredis';
import type { CommonRedisOptions } from 'ioredis';
import type { BackendRole } from './backend.ts';
import type { QueueBackendConfig } from './backend-config.ts';
import { closedReason, type ConnectionWatch } from './connection-watch.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const COMMAND_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 500;

/** A Redis that was away is found again within half a second of its return. */
function reconnectDelayMs(tries: number): number {
  return Math.min(tries * 50, MAX_RECONNECT_DELAY_MS);
}

/**
 * A publisher's commands fail at once while there is no connection (no offline queue: it would grow without bound, and
 * its caller has given up long since). A consumer's wait, as BullMQ's workers ask for (`maxRetriesPerRequest: null`).
 * A connection that owes an answer for `socketTimeout` is dead although it was not closed, and is opened again; a consumer's
 * is longer than its blocking wait for jobs, 10 s at most.
 */
const roleOptions = {
  publisher: {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: 3_000,
  },
  consumer: { enableOfflineQueue: true, maxRetriesPerRequest: null, socketTimeout: 15_000 },
} as const satisfies Record<BackendRole, CommonRedisOptions>;

export function connectRedis(
  config: Extract<QueueBackendConfig, { kind: 'redis' }>,
  role: BackendRole,
  watch: ConnectionWatch,
): Redis | Cluster {
  const options = {
    ...roleOptions[role],
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    retryStrategy: reconnectDelayMs,
  };
  const client = config.cluster
    ? new Cluster([config.url], { redisOptions: options, clusterRetryStrategy: reconnectDelayMs })
    : new Redis(config.url, options);
  client.on('error', (error: Error) => watch.lost(error.message || error.name));
  client.on('close', () => watch.lost(closedReason));
  client.on('ready', () => watch.back());
  return client;
}
