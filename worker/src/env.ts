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

export function workerConfig({ database, engine, extraction, knowledgeToken, telephony }: WorkerEnv) {
  // For four transactions that dial, beside those that end calls.
  const leastConnections = 6;
  const poolMax = Math.max(leastConnections, database.poolMax, Math.min(engine.workerConcurrency, 20));
  return {
    // Opened in advance for the first calls of a campaign.
    pool: { poolMax, poolMin: Math.min(poolMax, 8) },
    dialing: {
      ringTimeoutSeconds: telephony.ringTimeoutSeconds,
      maxCallSeconds: telephony.maxCallSeconds,
      callQueueTimeoutSeconds: engine.callQueueTimeoutSeconds,
    },
    knowledgeAccess: {
      secret: knowledgeToken,
      publicUrl: telephony.publicUrl,
      longestCallSeconds: telephony.ringTimeoutSeconds + telephony.maxCallSeconds,
    },
    // One waits while others are read, and one is for another organization.
    documentsAtOnce: extraction.concurrency + 2,
  };
}
