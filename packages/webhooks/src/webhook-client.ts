import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { mayBePublic } from './public-host.ts';
import { targetsOf } from './public-only.ts';

/** The result of an attempt. A redirect is an answer like any other, and is not followed. */
export type Attempt =
  | { kind: 'answered'; status: number; retryAfter: string | null; durationMs: number }
  /** `reason` is fit for the owner of the endpoint to read. */
  | { kind: 'no_answer'; reason: string; durationMs: number };

export interface WebhookClient {
  post(
    url: URL,
    request: { headers: Record<string, string>; body: string; signal: AbortSignal },
  ): Promise<Attempt>;
  close(): void;
}

/** The time for a receiver to answer, including the connection. */
const deadlineMs = 15_000;

/**
 * Sends webhooks over persistent connections. Unless `allowPrivateTargets`, refuses to connect to an address that is not public. The
 * address is checked at connect, after the name was resolved.
 */
export function createWebhookClient(options: { allowPrivateTargets: boolean }): WebhookClient {
  const agentOptions = {
    keepAlive: true,
    // Shorter than the five seconds after which many servers close an idle connection, which would break a request on it.
    timeout: 4_000,
    maxFreeSockets: 256,
    ...targetsOf(options),
  };
  const plain = new RequestFilteringHttpAgent(agentOptions);
  const secure = new RequestFilteringHttpsAgent(agentOptions);

  return {
    post: (url, { headers, body, signal }) =>
      new Promise((resolve) => {
        const startedAt = performance.now();
        const durationMs = () => Math.round(performance.now() - startedAt);
        const isSecure = url.protocol === 'https:';
        if (!options.allowPrivateTargets && !mayBePublic(url)) {
          resolve({ kind: 'no_answer', reason: notPublic, durationMs: durationMs() });
          return;
        }
        const request = (isSecure ? https : http).request(url, {
          method: 'POST',
          agent: isSecure ? secure : plain,
          signal,
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        });
        const timer = setTimeout(() => request.destroy(new NoAnswerInTimeError()), deadlineMs);
        request.once('close', () => clearTimeout(timer));
        request.once('error', (error) =>
          resolve({ kind: 'no_answer', reason: reasonOf(error), durationMs: durationMs() }),
        );
        request.once('response', (response) => {
          forget(response);
          resolve({
            kind: 'answered',
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'] ?? null,
            durationMs: durationMs(),
          });
        });
        request.end(body);
      }),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

const answerBytesAtMost = 65_536;

/** Only the status counts. A short body is read so that the connection can be used again; a long one ends the connection. */
function forget(response: IncomingMessage): void {
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > answerBytesAtMost) response.destroy();
  });
  response.on('error', () => undefined);
}

const notPublic = 'the host leads to an address that is not public';
const reasons: Readonly<Record<string, string>> = {
  ENOTPUBLIC: notPublic,
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  ENOTFOUND: 'the host name could not be resolved',
  ETIMEOUT: 'the host name could not be resolved',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the host could not be reached',
  ENETUNREACH: 'the network could not be reached',
  ETIMEDOUT: 'the connection timed out',
};

class NoAnswerInTimeError extends Error {}

function reasonOf(error: Error): string {
  if (error instanceof NoAnswerInTimeError) return `no answer within ${deadlineMs / 1000} seconds`;
  if (/is not allowed\. Because, It is/.test(error.message)) return notPublic;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return reasons[code] ?? (code === '' ? 'the connection failed' : `the connection failed: ${code}`);
}
