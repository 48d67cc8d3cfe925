import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/** The result of a request, as far as this side can prove it. */
export type Exchange =
  /** `body` is null if it was too long, encoded or cut off: the status stands all the same. */
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: string | null }
  /** No connection came about (no address, refused, no TLS, too late), so not one byte of the request was sent. */
  | { kind: 'not_connected'; reason: string }
  /** The request, or a part of it, may have arrived. */
  | { kind: 'broken'; reason: string };

export interface HttpClient {
  exchange(request: HttpRequest): Promise<Exchange>;
}

/** Shorter than the five seconds after which many servers close an idle connection, which would break a request on it. */
const idleConnectionMs = 4_000;
const idleConnectionsAtMost = 64;

/**
 * HTTP with connections that stay open, and an answer that `fetch` cannot give: whether there was a connection at all when a
 * request failed. It follows no redirects, keeps no cookies and decodes nothing.
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
          // A socket of an earlier request is connected; of a new one, nothing is written before this event.
          connected = request.reusedSocket || !socket.connecting;
          // A socket that is kept open would collect one listener a request.
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

/** The body as text; null if it is longer than `bytes`, encoded, or cut off. */
async function readAtMost(response: IncomingMessage, bytes: number): Promise<string | null> {
  const encoding = response.headers['content-encoding'];
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      // No encoding was set on the stream, so it gives buffers.
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
