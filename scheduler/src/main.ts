import { connect, createPostgresFileStore, engineNow } from '@outdial/db';
import { openS3FileStore } from '@outdial/providers/storage';
import { openPublisher } from '@outdial/queues';
import { createMetrics, run, startHealthServer } from '@outdial/runtime';
import { schedulerEnv } from './env.ts';
import { startScheduler } from './scheduler.ts';
import { ingestionSweep } from './sweeps/ingestion.ts';

await run({
  service: 'scheduler',
  env: schedulerEnv,
  async main({ env, log, shutdown }) {
    const db = connect({
      databaseUrl: env.database.url,
      poolMax: Math.min(env.database.poolMax, 8),
      applicationName: 'outdial-scheduler',
      onIdleError: (error) => log.warn({ err: error }, 'a database connection broke while idle'),
    });
    shutdown.add('database', () => db.destroy());
    const publisher = openPublisher(env.queue, { log });
    shutdown.add('publisher', () => publisher.close());
    const metrics = createMetrics({ service: 'scheduler' });
    const files = env.files.kind === 's3' ? await openS3FileStore(env.files) : createPostgresFileStore(db);
    const scheduler = startScheduler({
      db,
      publisher,
      log,
      furtherSweeps: [ingestionSweep(files)],
      onRepaired: (sweep, count) => metrics.sweepRepaired.inc({ sweep }, count),
    });
    shutdown.add('scheduler', () => scheduler.stop());
    if (env.health.port !== undefined) {
      const health = await startHealthServer({
        port: env.health.port,
        ready: async () => {
          await engineNow(db);
        },
        metrics: metrics.registry,
        ops: env.ops,
      });
      shutdown.add('health', () => health.close());
    }
    log.info({}, 'scheduler ready');
  },
});
