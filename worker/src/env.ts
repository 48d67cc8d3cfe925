import { telephonyEnv } from '@outdial/providers/environment';
import {
  databaseEnv,
  engineEnv,
  extractionEnv,
  filesEnv,
  healthEnv,
  knowledgeTokenEnv,
  opsEnv,
  queueEnv,
  type SettingsOf,
  voiceTokenEnv,
  webhookEnv,
} from '@outdial/runtime';

export const workerEnv = {
  database: databaseEnv,
  queue: queueEnv,
  telephony: telephonyEnv,
  engine: engineEnv,
  knowledgeToken: knowledgeTokenEnv,
  files: filesEnv,
  extraction: extractionEnv,
  health: healthEnv,
  ops: opsEnv,
  webhooks: webhookEnv,
  voiceToken: voiceTokenEnv,
};

export type WorkerEnv = SettingsOf<typeof workerEnv>;

/** What the settings come to for the parts of a worker. */
export function workerConfig({ database, engine, extraction, knowledgeToken, telephony }: WorkerEnv) {
  const poolMax = Math.max(database.poolMax, Math.min(engine.workerConcurrency, 20));
  return {
    // As many as a campaign's first calls want at once are open and warm before the first call comes.
    pool: { poolMax, poolMin: Math.min(poolMax, 8) },
    dialing: {
      leaseSeconds: engine.leaseSeconds,
      ringTimeoutSeconds: telephony.ringTimeoutSeconds,
      maxCallSeconds: telephony.maxCallSeconds,
      callQueueTimeoutSeconds: engine.callQueueTimeoutSeconds,
    },
    knowledgeAccess: {
      secret: knowledgeToken,
      publicUrl: telephony.publicUrl,
      longestCallSeconds: telephony.ringTimeoutSeconds + telephony.maxCallSeconds,
    },
    // Two more than are read at once: while one is written down, the next is handed over and the one after it claimed.
    ingestConcurrency: extraction.concurrency + 2,
  };
}
