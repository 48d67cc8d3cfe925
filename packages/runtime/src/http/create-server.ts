import {
  createServer,
  type RequestListener,
  type Server,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { oneRequestAtATime } from './one-request-at-a-time.ts';

export interface HttpServerOptions {
  /** The longest time to receive a request. Its body also has to arrive at a minimum rate. */
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

const lookEveryMs = 1_000;
/** Between two pieces of a body, and the least for all of it. */
const graceMs = 10_000;
/** Half a megabit a second: a mebibyte may take 26 seconds. */
const bytesPerMs = 64;

const tooSlow = JSON.stringify({ detail: 'The body of the request came too slowly', code: 'body_too_slow' });
const tooSlowAnswer = [
  'HTTP/1.1 408 Request Timeout',
  'Connection: close',
  'Content-Type: application/json',
  'Cache-Control: no-store',
  `Content-Length: ${tooSlow.length}`,
  '',
  tooSlow,
].join('\r\n');

/** A body that has not arrived completely. */
interface Upload {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bytesBefore: number;
  bytes: number;
  /** Since the last byte, not counting time in which the handler did not read. */
  idleMs: number;
  waitedMs: number;
}

/**
 * Cuts requests whose body does not come: its sender may pause for ten seconds, and must send 64 KB a second on average. Otherwise strangers
 * could hold memory with bodies that never end, and callers could prepare a request and complete it after they have lost the right to it.
 */
function bodyDeadlines(listener: RequestListener): RequestListener {
  const uploads = new Set<Upload>();
  let timer: NodeJS.Timeout | null = null;

  function look(): void {
    for (const upload of uploads) {
      const { request, response } = upload;
      if (request.complete || request.destroyed) uploads.delete(upload);
      else if (isLate(upload)) {
        uploads.delete(upload);
        if (response.headersSent) request.destroy();
        else request.socket.write(tooSlowAnswer, () => request.destroy());
      }
    }
    if (uploads.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  return (request, response) => {
    if (hasBody(request)) {
      const { bytesRead } = request.socket;
      uploads.add({ request, response, bytesBefore: bytesRead, bytes: 0, idleMs: 0, waitedMs: 0 });
      timer ??= setInterval(look, lookEveryMs).unref();
    }
    listener(request, response);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Adds the time since the last look. */
function isLate(upload: Upload): boolean {
  const { request } = upload;
  // The handler has not read what came, so its sender need not send more.
  if (request.readableLength > 0 || request.isPaused()) {
    upload.idleMs = 0;
    return false;
  }
  const bytes = request.socket.bytesRead - upload.bytesBefore;
  upload.idleMs = bytes > upload.bytes ? 0 : upload.idleMs + lookEveryMs;
  upload.bytes = bytes;
  upload.waitedMs += lookEveryMs;
  return upload.idleMs >= graceMs || upload.waitedMs >= graceMs + bytes / bytesPerMs;
}
