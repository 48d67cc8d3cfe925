import { migrateToLatest } from '@outdial/db';
import { prepareQueueBackend } from '@outdial/queues';
import pg from 'pg';

/** Copied for each test file, or for each stack. */
export const templateDatabase = 'outdial_template';

/** Makes the template, with the newest migration and the tables of queues on Postgres. */
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
