import type { IncomingMessage } from 'node:http';
import { createHttpClient, NoAnswerError } from '@outdial/runtime/http-client';

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

/** Sends webhooks over persistent connections, unless `allowPrivateTargets` to public addresses only. */
export function createWebhookClient(options: { allowPrivateTargets: boolean }): WebhookClient {
  const client = createHttpClient({ publicOnly: !options.allowPrivateTargets, idleConnectionsAtMost: 256 });
  return {
    async post(url, { headers, body, signal }) {
      const startedAt = performance.now();
      const durationMs = () => Math.round(performance.now() - startedAt);
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), deadlineMs);
      const whole = AbortSignal.any([signal, late.signal]);
      try {
        const response = await client.send({ method: 'POST', url, headers, body, signal: whole });
        forget(response, () => clearTimeout(timer));
        return {
          kind: 'answered',
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'] ?? null,
          durationMs: durationMs(),
        };
      } catch (error) {
        clearTimeout(timer);
        if (!(error instanceof NoAnswerError)) throw error;
        return { kind: 'no_answer', reason: reasonOf(error), durationMs: durationMs() };
      }
    },
    close: () => client.close(),
  };
}

const answerBytesAtMost = 65_536;

/** Only the status counts. A short body is read so that the connection can be used again; a long one ends the connection. */
function forget(response: IncomingMessage, done: () => void): void {
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > answerBytesAtMost) response.destroy();
  });
  response.on('error', () => undefined);
  response.once('close', done);
}

const reasons: Readonly<Record<string, string>> = {
  LATE: `no answer within ${deadlineMs / 1000} seconds`,
  ENOTPUBLIC: 'the host leads to an address that is not public',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  ENOTFOUND: 'the host name could not be resolved',
  ETIMEOUT: 'the host name could not be resolved',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the host could not be reached',
  ENETUNREACH: 'the network could not be reached',
  ETIMEDOUT: 'the connection timed out',
};

function reasonOf({ code }: NoAnswerError): string {
  return reasons[code] ?? (code === '' ? 'the connection failed' : `the connection failed: ${code}`);
}
