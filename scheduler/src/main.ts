import { createPostgresFileStore, poolUse } from '@outdial/db';
import { openS3FileStore } from '@outdial/providers/storage';
import { createMetrics, run } from '@outdial/runtime';
import { createReadiness, dialingMetrics, openStores, serveHealth } from '@outdial/service';
import { schedulerEnv } from './env.ts';
import { startScheduler } from './scheduler.ts';
import { watchState } from './state-metrics.ts';

await run({
  service: 'scheduler',
  env: schedulerEnv,
  async main(context) {
    const { env, log, shutdown } = context;
    const metrics = createMetrics({ service: 'scheduler' });
    const { db, publisher } = openStores(context, { poolMax: Math.min(env.database.poolMax, 8) });
    metrics.watchPool(() => poolUse(db));
    const readiness = createReadiness({ db, publisher, log, metrics });
    const health = await serveHealth(context, { readiness, metrics });
    await readiness.untilReady();
    const files = env.files.kind === 's3' ? await openS3FileStore(env.files) : createPostgresFileStore(db);
    const scheduler = startScheduler({
      db,
      publisher,
      log,
      files,
      metrics: dialingMetrics(metrics),
      onRepaired: (sweep, count) => metrics.sweepRepaired.inc({ sweep }, count),
      onFailed: (sweep, count) => metrics.sweepFailed.inc({ sweep }, count),
    });
    shutdown.add('scheduler', () => scheduler.stop());
    const state = watchState({ db, log, metrics });
    shutdown.add('state metrics', () => state.stop());
    health.started();
    log.info({}, 'scheduler ready');
  },
});
