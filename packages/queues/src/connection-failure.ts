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

// Class 08 is "connection exception", 57P01 to 57P03 are shutdown, crash and start-up:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const postgresCodes = /^(08\w{3}|57P0[123])$/;

const messages = [
  'Connection is closed',
  'Connection terminated',
  // A client of `pg` whose connection was lost before.
  'is not queryable',
  'timeout exceeded when trying to connect',
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
    postgresCodes.test(code) ||
    messages.some((part) => error.message.includes(part) || error.name.includes(part))
  );
}
