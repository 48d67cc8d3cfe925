import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { mayBePublic, NotPublicError, publicOnly } from './public-only.ts';

export { mayBePublic };

export interface OutgoingRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Fails if the host sends nothing for this long. */
  silenceMs?: number;
}

export interface HttpClient {
  /** Resolves when the answer begins. A redirect is an answer like any other. @throws NoAnswerError */
  send(request: OutgoingRequest): Promise<IncomingMessage>;
  close(): void;
}

/** There was no answer. The message is the code of the error where it has one. */
export class NoAnswerError extends Error {
  readonly code: string;
  /** False: there was no connection (no address, refused, TLS failure, timeout), so not one byte of the request was sent. */
  readonly mayHaveArrived: boolean;

  constructor(cause: Error, mayHaveArrived: boolean) {
    const isLate = cause.name === 'AbortError' || cause.name === 'TimeoutError';
    const code = 'code' in cause && typeof cause.code === 'string' && !isLate ? cause.code : '';
    super(isLate ? 'no answer in time' : code || cause.message, { cause });
    this.name = 'NoAnswerError';
    this.code = isLate ? 'LATE' : code;
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** Many servers close an idle connection after five seconds, which would break a request on it. This is shorter. */
const idleConnectionMs = 4_000;

export interface HttpClientOptions {
  /** Connect to no address of a private network, which is checked when the name is resolved for the connection. */
  publicOnly: boolean;
  idleConnectionsAtMost: number;
}

/**
 * HTTP for every request that this service sends to hosts which others name: gateways, recordings, webhooks, tools. Connections stay open between
 * requests. Unlike `fetch`, it reports whether a failed request ever had a connection. It follows no redirects, keeps no cookies and decodes nothing.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const agentOptions = {
    keepAlive: true,
    timeout: idleConnectionMs,
    maxFreeSockets: options.idleConnectionsAtMost,
    ...(options.publicOnly && { lookup: publicOnly() }),
  };
  const plain = new http.Agent(agentOptions);
  const secure = new https.Agent(agentOptions);
  return {
    send: ({ method, url, headers, body, signal, silenceMs }) =>
      new Promise((resolve, reject) => {
        // An address in the URL is not looked up.
        if (options.publicOnly && !mayBePublic(url)) {
          throw new NoAnswerError(new NotPublicError(url.hostname), false);
        }
        const isSecure = url.protocol === 'https:';
        let connected = false;
        const request = (isSecure ? https : http).request(url, {
          method,
          signal,
          agent: isSecure ? secure : plain,
          headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
        });
        request.once('socket', (socket) => {
          // A reused socket is connected. On a new socket, nothing is written before this event.
          connected = request.reusedSocket || !socket.connecting;
          // Otherwise a keep-alive socket would collect one listener per request.
          if (connected) return;
          socket.once(isSecure ? 'secureConnect' : 'connect', () => {
            connected = true;
          });
        });
        if (silenceMs !== undefined) {
          request.setTimeout(silenceMs, () => request.destroy(new Error('the host is silent')));
        }
        request.once('response', resolve);
        request.once('error', (error) => reject(new NoAnswerError(error, connected)));
        request.once('close', () =>
          reject(new NoAnswerError(new Error('the connection was closed without an answer'), true)),
        );
        request.end(body);
      }),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** Reads a body as text, at most so many bytes. `isWhole` is false if there was more, it was encoded, or the connection broke. */
export async function readAtMost(
  response: IncomingMessage,
  bytes: number,
): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isWhole = (response.headers['content-encoding'] ?? 'identity') === 'identity';
  try {
    // A stream without an encoding yields buffers.
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= bytes) continue;
      isWhole = false;
      break;
    }
  } catch {
    isWhole = false;
  }
  return { text: Buffer.concat(chunks).subarray(0, bytes).toString('utf8'), isWhole };
}
