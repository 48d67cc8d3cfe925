import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { bodyDeadlines } from './body-deadlines.ts';
import { oneRequestAtATime } from './one-request-at-a-time.ts';

export interface HttpServerOptions {
  /** The longest time to receive a request. Its body also has to arrive at a minimum rate (`body-deadlines.ts`). */
  readonly requestTimeoutMs?: number;
  /** How long a connection without a request stays open. */
  readonly keepAliveTimeoutMs?: number;
}

const requestTimeoutMs = 60_000;
const headersTimeoutMs = 30_000;
/** A reader that takes nothing of its answer for so long is disconnected, as is a new connection that sends nothing. */
const stalledMs = 30_000;

/**
 * Every HTTP server of Outdial. It handles one request of a connection at a time, so that a caller cannot make it build more than one answer
 * that nobody has read, and cuts connections that send or read too slowly.
 */
export function createHttpServer(listener: RequestListener, options: HttpServerOptions = {}): Server {
  const answering = oneRequestAtATime(bodyDeadlines(listener));
  const server = createServer(
    {
      requestTimeout: options.requestTimeoutMs ?? requestTimeoutMs,
      headersTimeout: Math.min(headersTimeoutMs, options.requestTimeoutMs ?? requestTimeoutMs),
      ...(options.keepAliveTimeoutMs !== undefined && { keepAliveTimeout: options.keepAliveTimeoutMs }),
    },
    answering.onRequest,
  );
  server.on('connection', answering.onConnection);
  server.timeout = stalledMs;
  server.on('timeout', (socket: Socket) => {
    // A handler that has not begun its answer may take longer.
    if (!answering.isWaitingForHandler(socket)) socket.destroy();
  });
  return server;
}
