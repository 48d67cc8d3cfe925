import { Agent, type Dispatcher, errors, request } from 'undici';

/** Longer than the pause between two turns, so that an answer does not wait for a connection. */
const keepMs = 30_000;
const fewestConnections = 100;
/** One server may hear, think and speak for all calls at once. */
const connectionsACall = 3;

/**
 * Connections to the servers of models, kept open between the turns of calls. There are enough of them for each server: a call that waited for a free one
 * would count as a failure of the server, which takes it from the calls of all organizations.
 * @param capacity how many calls the process carries at once
 */
export function openModelConnections(capacity: number): Agent {
  const connections = Math.max(fewestConnections, capacity * connectionsACall);
  return new Agent({ connections, keepAliveTimeout: keepMs });
}

type SendOptions = NonNullable<Parameters<typeof request<null>>[1]> & { signal: AbortSignal };

/**
 * A server may close a connection in the moment in which it is used again; the request is sent once more then. What a model is asked has no effect, so
 * it may be asked twice.
 */
export async function send(url: string, options: SendOptions): Promise<Dispatcher.ResponseData> {
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
