import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { hasBasicAuth } from './basic-auth.ts';
import type { OpsCredentials } from './env/fragments.ts';

export interface HealthOptions {
  /** 0 for any free one. */
  readonly port: number;
  /** Why the process is not ready, by check; empty if it is. The reasons are public. */
  readonly ready: () => Promise<Readonly<Record<string, string>>>;
  readonly metrics: Registry;
  /** The credentials for /metrics, which is a 404 without them. */
  readonly ops: OpsCredentials | undefined;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Longer than any single check takes. */
const readyTimeoutMs = 3_000;

/** Serves `/healthz`, `/readyz` and `/metrics` for a process without another HTTP server. */
export async function startHealthServer(options: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => void answer(request, response, options));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, resolve);
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
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
  { ready, metrics, ops }: HealthOptions,
): Promise<void> {
  const path = url?.split('?')[0];
  const reply = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (method !== 'GET' && method !== 'HEAD') {
    reply(405, { detail: 'Only GET.', code: 'method_not_allowed' });
  } else if (path === '/healthz') {
    reply(200, { status: 'ok' });
  } else if (path === '/readyz') {
    const reasons = await inTime(ready);
    const isReady = Object.keys(reasons).length === 0;
    reply(isReady ? 200 : 503, isReady ? { status: 'ready' } : { status: 'not ready', reasons });
  } else if (path === '/metrics' && ops !== undefined) {
    if (hasBasicAuth(headers.authorization, ops)) {
      const body = await metrics.metrics();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(body);
    } else {
      response.setHeader('www-authenticate', 'Basic realm="outdial"');
      reply(401, { detail: 'Operators only.', code: 'unauthorized' });
    }
  } else {
    reply(404, { detail: 'Nothing here.', code: 'not_found' });
  }
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
