import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { hasBasicAuth } from './basic-auth.ts';
import type { OpsCredentials } from '../env/fragments.ts';
import type { Logger } from '../logger.ts';
import { createHttpServer } from './create-server.ts';
import { FailedCredentials, failuresWindowMs, operatorFailuresPerMinute } from './failed-credentials.ts';

export interface HealthOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** Why the process is not ready, by check; empty if it is. The reasons are public. */
  readonly ready: () => Promise<Readonly<Record<string, string>>>;
  /** What is wrong although the process is ready, by check. */
  readonly warnings?: () => Readonly<Record<string, string>>;
  readonly metrics: Registry;
  /** The credentials for /metrics, which is a 404 without them. */
  readonly ops: OpsCredentials | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Longer than any single check takes. */
const readyTimeoutMs = 3_000;

/** Serves `/healthz`, `/readyz` and `/metrics` for a process without another HTTP server. */
export async function startHealthServer(options: HealthOptions): Promise<HealthServer> {
  const failed = new FailedCredentials({ freePerMinute: operatorFailuresPerMinute, log: options.log });
  const server = createHttpServer(
    (request, response) => void answer(request, response, { ...options, failed }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { ready, warnings, metrics, ops, failed }: HealthOptions & { failed: FailedCredentials },
): Promise<void> {
  const { method, url, headers } = request;
  const path = url?.split('?')[0];
  const reply = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (method !== 'GET' && method !== 'HEAD') {
    reply(405, { detail: 'Only GET.', code: 'method_not_allowed' });
  } else if (path === '/healthz') {
    reply(200, { status: 'ok' });
  } else if (path === '/readyz') {
    const { status, body } = answerOfReadiness(await inTime(ready), warnings?.());
    reply(status, body);
  } else if (path === '/metrics' && ops !== undefined) {
    if (hasBasicAuth(headers.authorization, ops)) {
      const body = await metrics.metrics();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(body);
    } else if (headers.authorization !== undefined && (await failed.slowDown(request)) === 'too_many') {
      response.setHeader('retry-after', failuresWindowMs / 1_000);
      reply(429, { detail: 'Too many wrong passwords came from this address.', code: 'too_many_failures' });
    } else {
      response.setHeader('www-authenticate', 'Basic realm="outdial"');
      reply(401, { detail: 'Operators only.', code: 'unauthorized' });
    }
  } else {
    reply(404, { detail: 'Nothing here.', code: 'not_found' });
  }
}

/** The answer of `/readyz`. Warnings do not make a process unready. */
export function answerOfReadiness(
  reasons: Readonly<Record<string, string>>,
  warnings: Readonly<Record<string, string>> = {},
): { status: 200 | 503; body: object } {
  if (Object.keys(reasons).length > 0) return { status: 503, body: { status: 'not ready', reasons } };
  return { status: 200, body: { status: 'ready', ...(Object.keys(warnings).length > 0 && { warnings }) } };
}

async function inTime(ready: HealthOptions['ready']): Promise<Readonly<Record<string, string>>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readonly<Record<string, string>>>((resolve) => {
    timer = setTimeout(() => resolve({ process: 'does not answer in time' }), readyTimeoutMs);
  });
  const asked = ready().catch(() => ({ process: 'cannot tell' }));
  const reasons = await Promise.race([asked, late]);
  clearTimeout(timer);
  return reasons;
}
