import { losesSession } from '@outdial/core';

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EPIPE',
  'ETIMEDOUT',
]);

const messages = [
  'Connection is closed',
  'Connection terminated',
  // A client of `pg` whose connection was lost before.
  'is not queryable',
  // What a pool of `pg` says of a connect that takes too long, and what its client says.
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Command timed out',
  'Socket timeout',
  'Query read timeout',
  'enableOfflineQueue',
  'max retries per request',
  'LOADING',
  'CLUSTERDOWN',
  'ClusterAllFailedError',
];

/** Whether the backend could not be reached, as opposed to a fault in a command. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isConnectionFailure)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    networkCodes.has(code) ||
    losesSession(code) ||
    isDemotion(error) ||
    messages.some((part) => error.message.includes(part) || error.name.includes(part))
  );
}

/**
 * Whether the error says that this Redis is a replica, or one that the others have left: READONLY and MASTERDOWN of a replica, UNBLOCKED when a
 * primary becomes one during a blocking wait, and NOREPLICAS of a primary without the replicas that it needs. Its connections stay open, so only a
 * new connection to the same name finds the new primary: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors
 */
export function isDemotion(error: Error): boolean {
  return /^(READONLY|MASTERDOWN|UNBLOCKED|NOREPLICAS)\b/.test(error.message);
}
