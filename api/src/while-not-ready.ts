import { startHealthServer, type Metrics, type ProcessContext } from '@outdial/runtime';
import type { Readiness } from '@outdial/service';
import type { ApiEnv } from './env.ts';

/** Waits for the database, its migrations and the queue. Until then, the api only serves `/healthz` and `/readyz`, which names what is missing. */
export async function whileNotReady(
  { env, log }: Pick<ProcessContext<ApiEnv>, 'env' | 'log'>,
  { readiness, metrics }: { readiness: Readiness; metrics: Metrics },
): Promise<void> {
  if (Object.keys(await readiness.faults()).length === 0) return;
  const server = await startHealthServer({
    port: env.http.port,
    host: env.http.host,
    ready: () => readiness.current(),
    metrics: metrics.registry,
    ops: undefined,
    log,
  });
  await readiness.untilReady();
  await server.close();
}
