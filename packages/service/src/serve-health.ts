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

type HealthSettings = SettingsOf<{ health: typeof healthEnv; ops: typeof opsEnv }>;

/** How soon a lost database or queue is in the log, if nothing asks for /readyz. */
const lookEveryMs = 5_000;

/**
 * Health and metrics of a process that serves nothing else, where a port for them is set. Begins before the process has what it needs,
 * so that it can say what is missing; call `started` once it works.
 */
export async function serveHealth(
  { env, log, shutdown }: ProcessContext<HealthSettings>,
  { readiness, metrics }: { readiness: Readiness; metrics: Metrics },
): Promise<{ started(): void }> {
  let isStarted = false;
  const ready = async (): Promise<Faults> => {
    if (shutdown.signal.aborted) return { process: 'is stopping' };
    const faults = await readiness.faults();
    return isStarted || Object.keys(faults).length > 0 ? faults : { process: 'is starting' };
  };
  if (env.health.port !== undefined) {
    const health = await startHealthServer({
      port: env.health.port,
      ready,
      metrics: metrics.registry,
      ops: env.ops,
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

/** Looks now and then, for the log. */
export function watchReadiness(
  { log, shutdown }: Pick<ProcessContext<unknown>, 'log' | 'shutdown'>,
  readiness: Readiness,
): void {
  const loop = startLoop({
    name: 'readiness',
    log,
    runOnce: () => readiness.faults(),
    waitMs: () => lookEveryMs,
  });
  shutdown.add('readiness', () => loop.stop());
}
