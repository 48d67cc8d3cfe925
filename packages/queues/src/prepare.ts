import { runMigrations } from 'bullmq';
import { clientOfHosts } from './client-of-hosts.ts';
import { defaultPostgresSchema, type QueueBackendConfig } from './backend-config.ts';

/** Migrates BullMQ's own tables. Part of `migrate`, so it runs before any process opens a queue. Safe to repeat and to run concurrently. */
export async function prepareQueueBackend(config: QueueBackendConfig): Promise<void> {
  if (config.kind === 'redis') return;
  const Client = clientOfHosts(config.url);
  const client = new Client({ connectionString: config.url });
  await client.connect();
  try {
    await runMigrations(client, config.schema ?? defaultPostgresSchema);
  } finally {
    await client.end();
  }
}
