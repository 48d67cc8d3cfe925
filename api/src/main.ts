import { connect, createPostgresFileStore, ensureProvider } from '@outdial/db';
import { createProviderDirectory } from '@outdial/engine';
import { buildProvider, firstCallsPerSecond } from '@outdial/providers';
import { openS3FileStore } from '@outdial/providers/storage';
import { openPublisher, openQueues } from '@outdial/queues';
import { createMetrics, run, startLoop, systemClock } from '@outdial/runtime';
import { createApp } from './app.ts';
import { apiConfig, apiEnv } from './env.ts';
import { startServer } from './server.ts';

/** Of the nine seconds that a shutdown may take, what requests in progress get. */
const DRAIN_MS = 6_000;
const PROVIDERS_REFRESH_MS = 5_000;

await run({
  service: 'api',
  env: apiEnv,
  async main({ env, log, shutdown }) {
    const db = connect({
      databaseUrl: env.database.url,
      poolMax: env.database.poolMax,
      applicationName: 'outdial-api',
      onIdleError: (error) => log.warn({ err: error }, 'a database connection broke while idle'),
    });
    shutdown.add('database', () => db.destroy());
    const publisher = openPublisher(env.queue, { log });
    shutdown.add('publisher', () => publisher.close());
    const queues = openQueues(env.queue, { log });
    shutdown.add('queues', () => queues.close());

    const { provider } = env.telephony;
    await ensureProvider(db, {
      name: provider,
      adapter: provider,
      callsPerSecond: firstCallsPerSecond(provider),
    });
    const directory = createProviderDirectory({ db, build: (row) => buildProvider(row, env.telephony) });
    await directory.refresh();
    const refresh = startLoop({
      name: 'providers',
      log,
      runOnce: () => directory.refresh(),
      waitMs: () => PROVIDERS_REFRESH_MS,
    });
    shutdown.add('providers', () => refresh.stop());

    const files = env.files.kind === 's3' ? await openS3FileStore(env.files) : createPostgresFileStore(db);

    const app = createApp({
      db,
      publisher,
      files,
      clock: systemClock,
      log,
      metrics: createMetrics({ service: 'api' }),
      config: apiConfig(env),
      providers: directory.providers,
      queues,
    });
    const server = await startServer(app, { port: env.http.port });
    shutdown.add('http', () => server.close({ drainMs: DRAIN_MS }));
    log.info({ port: server.port }, 'listening');
  },
});
