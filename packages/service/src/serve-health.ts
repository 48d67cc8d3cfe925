import {
  startHealthServer,
  startLoop,
  type healthEnv,
  type Metrics,
  type opsEnv,
  type ProcessContext,
  type SettingsOf,
} from '@outdial/runtime';
import type { Faults, Readiness } from './readiness.ts';

/** How soon a lost database or queue is logged, and shown by /readyz. Each check writes, so an idle service makes few. */
const lookEveryMs = 3_000;
/** How soon its return is. */
const lookAgainMs = 500;

/**
 * Serves health and metrics of a process without another HTTP server, if a port is configured. It starts before the process is ready, so that
 * /readyz can report what is missing. Call `started` once the process works.
 */
export async function serveHealth(
  { env, log, shutdown }: ProcessContext<SettingsOf<{ health: typeof healthEnv; ops: typeof opsEnv }>>,
  { readiness, metrics }: { readiness: Readiness; metrics: Metrics },
): Promise<{ started(): void }> {
  let isStarted = false;
  const ready = async (): Promise<Faults> => {
    if (shutdown.signal.aborted) return { process: 'is stopping' };
    const faults = await readiness.current();
    return isStarted || Object.keys(faults).length > 0 ? faults : { process: 'is starting' };
  };
  if (env.health.port !== undefined) {
    const health = await startHealthServer({
      port: env.health.port,
      host: env.health.host,
      ready,
      warnings: () => readiness.warnings(),
      metrics: metrics.registry,
      ops: env.ops,
      log,
    });
    shutdown.add('health', () => health.close());
  }
  return {
    started() {
      isStarted = true;
      watchReadiness({ log, shutdown }, readiness);
    },
  };
}

/** Runs the checks periodically, so that faults are logged, and /readyz needs none of its own. */
export function watchReadiness(
  { log, shutdown }: Pick<ProcessContext<unknown>, 'log' | 'shutdown'>,
  readiness: Readiness,
): void {
  const loop = startLoop({
    name: 'readiness',
    log,
    runOnce: () => readiness.faults(),
    waitMs: (faults) => (Object.keys(faults).length === 0 ? lookEveryMs : lookAgainMs),
  });
  shutdown.add('readiness', () => loop.stop());
}
