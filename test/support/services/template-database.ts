import { migrateToLatest } from '@outdial/db';
import { prepareQueueBackend } from '@outdial/queues';
import pg from 'pg';

/** Copied for each test file, or for each stack. */
export const templateDatabase = 'outdial_template';

/** Creates the template, with all migrations and the queue tables of BullMQ. */
export async function makeTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create database ${templateDatabase}`);
  await client.end();
  const url = new URL(adminUrl);
  url.pathname = `/${templateDatabase}`;
  await migrateToLatest({ databaseUrl: url.href });
  await prepareQueueBackend({ kind: 'postgres', url: url.href });
}
