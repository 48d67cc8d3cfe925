import { runMigrations } from 'bullmq';
import { clientOfHosts } from '@outdial/core';
import pg from 'pg';
import { defaultPostgresSchema, type QueueBackendConfig } from './backend-config.ts';

/** Migrates BullMQ's own tables. Part of `migrate`, so it runs before any process opens a queue. Safe to repeat and to run concurrently. */
export async function prepareQueueBackend(config: QueueBackendConfig): Promise<void> {
  if (config.kind === 'redis') return;
  const Client = clientOfHosts(config.url, pg.Client);
  const client = new Client({ connectionString: config.url });
  await client.connect();
  try {
    await runMigrations(client, config.schema ?? defaultPostgresSchema);
  } finally {
    await client.end();
  }
}
