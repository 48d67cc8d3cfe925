import { connect, createPostgresFileStore, engineNow, ensureProvider } from '@outdial/db';
import { createProviderDirectory } from '@outdial/engine';
import { buildProvider, firstCallsPerSecond } from '@outdial/providers';
import { createExtractionPool } from '@outdial/providers/extraction';
import { openS3FileStore } from '@outdial/providers/storage';
import { onJob, openPublisher } from '@outdial/queues';
import { createMetrics, run, startHealthServer, startLoop } from '@outdial/runtime';
import { workerEnv } from './env.ts';
import { ingestItem } from './jobs/ingest-item.ts';
import { createKnowledgeAccess } from './knowledge-access.ts';
import { startWorker } from './worker.ts';

/** Of the nine seconds that a shutdown may take: a send lasts eight at most. */
const drainMs = 7_000;
const providersRefreshMs = 5_000;

await run({
  service: 'worker',
  env: workerEnv,
  async main({ env, log, shutdown }) {
    const db = connect({
      databaseUrl: env.database.url,
      poolMax: Math.max(env.database.poolMax, Math.min(env.engine.workerConcurrency, 20)),
      applicationName: 'outdial-worker',
      onIdleError: (error) => log.warn({ err: error }, 'a database connection broke while idle'),
    });
    shutdown.add('database', () => db.destroy());
    const publisher = openPublisher(env.queue, { log });
    shutdown.add('publisher', () => publisher.close());
    const metrics = createMetrics({ service: 'worker' });

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
      waitMs: () => providersRefreshMs,
    });
    shutdown.add('providers', () => refresh.stop());

    const files = env.files.kind === 's3' ? await openS3FileStore(env.files) : createPostgresFileStore(db);
    const extractor = createExtractionPool(env.extraction);
    shutdown.add('extraction', () => extractor.close());

    const worker = startWorker({
      db,
      publisher,
      log,
      queue: env.queue,
      concurrency: env.engine.workerConcurrency,
      providers: directory.providers,
      knowledgeAccess: createKnowledgeAccess({
        secret: env.knowledgeToken,
        publicUrl: env.telephony.publicUrl,
        longestCallSeconds: env.telephony.ringTimeoutSeconds + env.telephony.maxCallSeconds,
      }),
      settings: {
        leaseSeconds: env.engine.leaseSeconds,
        ringTimeoutSeconds: env.telephony.ringTimeoutSeconds,
        maxCallSeconds: env.telephony.maxCallSeconds,
        callQueueTimeoutSeconds: env.engine.callQueueTimeoutSeconds,
      },
      metrics: {
        callPlaced: (name) => metrics.callsPlaced.inc({ provider: name }),
        callEnded: (outcome) => metrics.callsEnded.inc({ outcome }),
        gateRefused: (reason) => metrics.gateRefused.inc({ reason }),
      },
      jobMetrics: metrics,
      furtherHandlers: [
        // Two more than are read at once: while one is written down, the next is handed over and the one after it claimed.
        onJob(ingestItem({ db, files, extractor, log, concurrency: env.extraction.concurrency + 2 })),
      ],
    });
    shutdown.add('worker', () => worker.stop({ drainMs }));

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
    log.info({ concurrency: env.engine.workerConcurrency, queue: env.queue.kind }, 'worker ready');
  },
});
