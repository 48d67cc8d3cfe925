import { createPostgresFileStore, poolUse } from '@outdial/db';
import { buildProvider, firstCallsPerSecond } from '@outdial/providers';
import { openS3FileStore } from '@outdial/providers/storage';
import { openQueues } from '@outdial/queues';
import { createMetrics, run, systemClock } from '@outdial/runtime';
import { createReadiness, openProviders, openStores, watchReadiness } from '@outdial/service';
import { createApp } from './app.ts';
import { apiConfig, apiEnv } from './env.ts';
import { openRateLimits } from './open-rate-limits.ts';
import { startServer } from './server.ts';
import { whileNotReady } from './while-not-ready.ts';

/** The share of requests in progress in the nine seconds of a shutdown. */
const drainTimeoutMs = 6_000;

await run({
  service: 'api',
  env: apiEnv,
  async main(context) {
    const { env, log, shutdown } = context;
    const metrics = createMetrics({ service: 'api' });
    const { db, publisher } = openStores(context, { poolMax: env.database.poolMax });
    metrics.watchPool(() => poolUse(db));
    const queues = openQueues(env.queue, { log });
    shutdown.add('queues', () => queues.close());
    const readiness = createReadiness({ db, publisher, log, metrics });
    await whileNotReady(context, { readiness, metrics });
    const providers = await openProviders(context, {
      db,
      build: (row) => buildProvider(row, env.telephony),
      installationProvider: env.telephony.provider,
      firstCallsPerSecond,
    });
    const files = env.files.kind === 's3' ? await openS3FileStore(env.files) : createPostgresFileStore(db);

    const config = apiConfig(env);
    const limits = env.http.rateLimits === null ? null : openRateLimits(context, db, env.http.rateLimits);
    const app = createApp({
      db,
      publisher,
      files,
      clock: systemClock,
      log,
      metrics,
      config,
      providers,
      queues,
      readiness,
      rateLimits: limits,
    });
    const server = await startServer(app, { port: env.http.port, host: env.http.host });
    watchReadiness(context, readiness);
    shutdown.add('http', () => server.close({ drainMs: drainTimeoutMs }));
    log.info({ port: server.port }, 'listening');
  },
});
