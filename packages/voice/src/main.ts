import { createPostgresFileStore, poolUse } from '@outdial/db';
import { createProgressRecorder } from '@outdial/engine';
import { buildProvider, firstCallsPerSecond } from '@outdial/providers';
import { openS3FileStore } from '@outdial/providers/storage';
import {
  createCallTokens,
  createMetrics,
  run,
  databaseEnv,
  filesEnv,
  healthEnv,
  opsEnv,
  queueEnv,
  voiceEndpointsEnv,
  voiceEnv,
  voiceToolsEnv,
} from '@outdial/runtime';
import { createTwilioHandshakeCheck, telephonyEnv } from '@outdial/providers/environment';
import { createReadiness, dialingMetrics, openProviders, openStores, serveHealth } from '@outdial/service';
import { canTransfer } from './call/call-line.ts';
import { createDialects } from './language-model/index.ts';
import { openConversation } from './open-conversation.ts';
import { voiceMetrics } from './metrics/voice-metrics.ts';
import { openModelConnections } from './models/connections.ts';
import { createExternalMemoryCollector } from './process/external-memory.ts';
import { createCheckedFetch } from './tools/checked-fetch.ts';
import { farewellMs, startVoiceProcess } from './voice-process.ts';

const voiceProcessEnv = {
  database: databaseEnv,
  files: filesEnv,
  queue: queueEnv,
  telephony: telephonyEnv,
  voice: voiceEnv,
  endpoints: voiceEndpointsEnv,
  tools: voiceToolsEnv,
  health: healthEnv,
  ops: opsEnv,
};

/** The time after the drain in which calls that were cut off are recorded. */
const recordingMs = 4_000;
const collectEveryMs = 2_000;

await run({
  service: 'voice',
  env: voiceProcessEnv,
  shutdownDeadlineMs: ({ voice }) => voice.drainMs + farewellMs + recordingMs,
  async main(context) {
    const { env, log, shutdown } = context;
    const metrics = createMetrics({ service: 'voice' });
    const { db, publisher } = openStores(context, { poolMax: env.database.poolMax });
    metrics.watchPool(() => poolUse(db));
    const readiness = createReadiness({ db, publisher, log, metrics });
    const health = await serveHealth(context, { readiness, metrics });
    await readiness.untilReady();
    const { ringTimeoutSeconds, maxCallSeconds } = env.telephony;
    const progress = createProgressRecorder({
      db,
      publisher,
      log,
      settings: { ringTimeoutSeconds, maxCallSeconds },
      metrics: dialingMetrics(metrics),
    });
    shutdown.add('progress', () => progress.drain());
    const files = env.files.kind === 's3' ? await openS3FileStore(env.files) : createPostgresFileStore(db);
    const providers = await openProviders(context, {
      db,
      build: (row) => buildProvider(row, env.telephony),
      installationProvider: env.telephony.provider,
      firstCallsPerSecond,
    });
    const connections = openModelConnections(env.voice.capacity);
    shutdown.add('model connections', () => connections.close());
    const dialects = createDialects();
    const http = env.tools === null ? null : { ...env.tools, fetch: createCheckedFetch(env.tools) };
    shutdown.add('tools', () => http?.fetch.close());
    const nowMs = () => performance.now();
    const counted = voiceMetrics(metrics);
    const voice = await startVoiceProcess({
      db,
      log,
      tokens: createCallTokens(env.voice.tokenSecret),
      endpoints: env.endpoints,
      files,
      host: env.voice.host,
      port: env.voice.port,
      url: env.voice.url,
      webUrl: env.voice.webUrl,
      webOrigins: env.voice.webOrigins,
      capacity: env.voice.capacity,
      longestCallSeconds: maxCallSeconds,
      ringTimeoutSeconds,
      providerOf: (name) => providers.get(name),
      record: (report) => progress.record(report),
      openConversation: ({ call, models, note }) =>
        openConversation(
          {
            db,
            publisher,
            endpoints: env.endpoints,
            connections,
            dialects,
            http,
            log,
            isDown: (endpoint) => models.down().includes(endpoint),
            onFigures({ endpoint, firstPartMs }) {
              models.note(endpoint, true);
              counted.took('model', firstPartMs);
            },
            onModelFailure: (failure) => models.noteFailure(failure),
            onToolEnd: (tool, end) => counted.toolCalled(tool, end),
          },
          call,
          { note, canTransfer: canTransfer(providers.get(call.provider)) },
        ),
      nowMs,
      metrics: counted,
      connections,
      isTwilio: createTwilioHandshakeCheck(),
    });
    shutdown.add('voice', async () => {
      await voice.drain(AbortSignal.timeout(env.voice.drainMs));
      await voice.close();
    });
    setInterval(createExternalMemoryCollector(), collectEveryMs).unref();
    health.started();
    log.info({ url: voice.url, capacity: env.voice.capacity }, 'voice process ready');
  },
});
