import { runMigrations } from 'bullmq';
import { Client } from 'pg';
import { DEFAULT_POSTGRES_SCHEMA, type QueueBackendConfig } from './backend-config.ts';

/**
 * Brings BullMQ's own tables up to date. Part of `migrate`: run once, before any process opens a queue. Safe to run
 * again and at the same time elsewhere. Redis needs no preparation.
 */
export async function prepareQueueBackend(config: QueueBackendConfig): Promise<void> {
  if (config.kind === 'redis') return;
  const client = new Client({ connectionString: config.url });
  await client.connect();
  try {
    await runMigrations(client, config.schema ?? DEFAULT_POSTGRES_SCHEMA);
  } finally {
    await client.end();
  }
}
