import { Agent, type Dispatcher, errors, request } from 'undici';

/** Longer than the pause between two turns, so that no answer waits for a new connection. */
const idleMs = 30_000;
const fewestConnections = 100;
/** One server may run all three models of all calls. */
const connectionsPerCall = 3;

/**
 * Opens a pool of connections to the model servers, which stay open between turns. The pool is large enough for all calls: a wait for a free connection
 * would count as a failure of the server, and open its circuit for all organizations.
 * @param capacity the number of concurrent calls
 */
export function openModelConnections(capacity: number): Agent {
  const connections = Math.max(fewestConnections, capacity * connectionsPerCall);
  return new Agent({ connections, keepAliveTimeout: idleMs });
}

/** Sends a request, and repeats it if the server closed an idle connection at that moment. Requests to models have no side effects, so a repeat is safe. */
export async function send(
  url: string,
  options: NonNullable<Parameters<typeof request<null>>[1]> & { signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  try {
    return await request(url, options);
  } catch (error) {
    if (options.signal.aborted || !wasUsedBefore(error)) throw error;
    return request(url, options);
  }
}

function wasUsedBefore(error: unknown): boolean {
  return error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0;
}
