import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/** The result of a request, as far as this side knows for certain. */
export type Exchange =
  /** `body` is null if it was too long, encoded or cut off; the status is valid anyway. */
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: string | null }
  /** There was no connection (no address, refused, TLS failure, timeout), so not one byte of the request was sent. */
  | { kind: 'not_connected'; reason: string }
  /** The request, or part of it, may have arrived. */
  | { kind: 'broken'; reason: string };

export interface HttpClient {
  exchange(request: HttpRequest): Promise<Exchange>;
}

/** Many servers close an idle connection after five seconds, which would break a request on it. This is shorter. */
const idleConnectionMs = 4_000;
const idleConnectionsAtMost = 64;

/**
 * HTTP with keep-alive connections. Unlike `fetch`, it reports whether a failed request ever had a connection. It follows no redirects, keeps no
 * cookies and decodes nothing.
 */
export function createHttpClient(options: { answerBytesAtMost: number }): HttpClient {
  const agentOptions = { keepAlive: true, timeout: idleConnectionMs, maxFreeSockets: idleConnectionsAtMost };
  const plain = new http.Agent(agentOptions);
  const secure = new https.Agent(agentOptions);
  return {
    exchange: ({ method, url, headers, body, signal }) =>
      new Promise((resolve) => {
        const isSecure = url.protocol === 'https:';
        let connected = false;
        let answered = false;
        const request = (isSecure ? https : http).request(url, {
          method,
          signal,
          agent: isSecure ? secure : plain,
          headers: { ...headers, 'accept-encoding': 'identity', 'content-length': Buffer.byteLength(body) },
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
        request.once('response', (response) => {
          answered = true;
          void readAtMost(response, options.answerBytesAtMost).then((text) =>
            resolve({
              kind: 'answer',
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: text,
            }),
          );
        });
        request.once('error', (error) =>
          resolve({ kind: connected ? 'broken' : 'not_connected', reason: reasonOf(error) }),
        );
        request.once('close', () => {
          if (!answered) resolve({ kind: 'broken', reason: 'the connection was closed without an answer' });
        });
        request.end(body);
      }),
  };
}

/** Reads the body as text. Null if it is longer than `bytes`, encoded or cut off. */
async function readAtMost(response: IncomingMessage, bytes: number): Promise<string | null> {
  const encoding = response.headers['content-encoding'];
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      // A stream without an encoding yields buffers.
      const piece = chunk as Buffer;
      size += piece.length;
      if (size > bytes) return null;
      chunks.push(piece);
    }
  } catch {
    return null;
  }
  if (encoding !== undefined && encoding !== 'identity') return null;
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: Error): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no answer in time';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
