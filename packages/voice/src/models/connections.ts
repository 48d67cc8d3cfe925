import { Agent, type Dispatcher, errors, request } from 'undici';

/** Longer than the pause between two turns, so that an answer does not wait for a connection. */
const keepMs = 30_000;
const connectionsAtMost = 100;

/** Connections to the servers of models, kept open between the turns of calls. */
export function openModelConnections(): Agent {
  return new Agent({ connections: connectionsAtMost, keepAliveTimeout: keepMs });
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
