import { engineNow, type Db } from '@outdial/db';
import {
  startHealthServer,
  type healthEnv,
  type Metrics,
  type opsEnv,
  type ProcessContext,
  type SettingsOf,
} from '@outdial/runtime';

type HealthSettings = SettingsOf<{ health: typeof healthEnv; ops: typeof opsEnv }>;

/** Health and metrics of a process that serves nothing else, where a port for them is set. Ready while the database answers. */
export async function serveHealth(
  { env, shutdown }: ProcessContext<HealthSettings>,
  { db, metrics }: { db: Db; metrics: Metrics },
): Promise<void> {
  if (env.health.port === undefined) return;
  const health = await startHealthServer({
    port: env.health.port,
    ready: async () => {
      await engineNow(db);
      return {};
    },
    metrics: metrics.registry,
    ops: env.ops,
  });
  shutdown.add('health', () => health.close());
}
