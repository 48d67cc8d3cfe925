import { createPostgresFileStore, poolUse, warmUp } from '@outdial/db';
import { buildProvider, firstCallsPerSecond } from '@outdial/providers';
import { createExtractionPool, openBox } from '@outdial/providers/extraction';
import { openS3FileStore } from '@outdial/providers/storage';
import { onJob } from '@outdial/queues';
import { createCallTokens, createMetrics, run, type Logger } from '@outdial/runtime';
import { createMediaRuntimes } from '@outdial/engine';
import { createReadiness, dialingMetrics, openProviders, openStores, serveHealth } from '@outdial/service';
import { createGiveWay, createWebhookClient } from '@outdial/webhooks';
import { workerConfig, workerEnv } from './env.ts';
import { deliverWebhooksHandler } from './jobs/deliver-webhooks.ts';
import { ingestItem } from './jobs/ingest-item.ts';
import { createKnowledgeAccess } from './knowledge-access.ts';
import { startWorker } from './worker.ts';

/** Part of the nine seconds of a shutdown. */
const drainMs = 7_000;

await run({
  service: 'worker',
  env: workerEnv,
  async main(context) {
    const { env, log, shutdown } = context;
    const config = workerConfig(env);
    const metrics = createMetrics({ service: 'worker' });
    const { db, publisher } = openStores(context, config.pool);
    metrics.watchPool(() => poolUse(db));
    const readiness = createReadiness({ db, publisher, log, metrics });
    const health = await serveHealth(context, { readiness, metrics });
    await readiness.untilReady();
    const providers = await openProviders(context, {
      db,
      build: (row) => buildProvider(row, env.telephony),
      installationProvider: env.telephony.provider,
      firstCallsPerSecond,
    });
    const files = env.files.kind === 's3' ? await openS3FileStore(env.files) : createPostgresFileStore(db);
    const { box, report } = await openBox();
    logBox(log, box.kind, report);
    const extractor = createExtractionPool({ ...env.extraction, box });
    shutdown.add('extraction', () => extractor.close());

    await warmUp(db, { connections: config.pool.poolMin }).catch((error: unknown) =>
      log.warn({ err: error }, 'could not open database connections in advance; the first calls may be slow'),
    );

    const webhookClient = createWebhookClient(env.webhooks);
    shutdown.add('webhooks', () => webhookClient.close());

    const worker = startWorker({
      db,
      publisher,
      log,
      queue: env.queue,
      concurrency: env.engine.workerConcurrency,
      providers,
      files,
      knowledgeAccess: createKnowledgeAccess(config.knowledgeAccess),
      settings: config.dialing,
      ...(env.voiceToken !== null && {
        mediaRuntimes: createMediaRuntimes({
          db,
          tokens: createCallTokens(env.voiceToken),
          ringTimeoutSeconds: config.dialing.ringTimeoutSeconds,
          log,
        }),
      }),
      metrics: dialingMetrics(metrics),
      jobMetrics: metrics,
      onRepaired: (sweep, count) => metrics.sweepRepaired.inc({ sweep }, count),
      onFailed: (sweep, count) => metrics.sweepFailed.inc({ sweep }, count),
      furtherHandlers: [
        deliverWebhooksHandler({
          db,
          publisher,
          client: webhookClient,
          giveWay: createGiveWay(),
          random: Math.random,
          log,
          onAttempt: (result, durationMs) => metrics.webhookAttempted(result, durationMs),
        }),
        onJob(ingestItem({ db, publisher, files, extractor, log, places: config.documentsAtOnce })),
      ],
    });
    shutdown.add('worker', () => worker.stop({ drainMs }));
    health.started();
    log.info({ concurrency: env.engine.workerConcurrency, queue: env.queue.kind }, 'worker ready');
  },
});

/** What code in a document could do, as the probe found. */
interface BoxReport {
  environment: readonly string[];
  network: boolean;
  signals: boolean;
}

/** Logs how documents are sandboxed. @param report null if the probe could not run */
function logBox(log: Logger, kind: string, report: BoxReport | null): void {
  const hasWalls = kind !== 'permissions_only';
  const fields = {
    box: kind,
    environment: report?.environment.length === 0 ? 'empty' : 'unknown',
    files: hasWalls ? 'code only' : 'code only, by Node',
    network: report?.network === false ? 'none' : 'open',
    signals_to_worker: report?.signals === false ? 'none' : 'possible',
  };
  if (hasWalls) log.info(fields, 'documents are read in a box');
  else log.warn(fields, 'documents are read without a system sandbox; see docs/knowledge-bases.md');
}
