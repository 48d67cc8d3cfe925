import { migrateToLatest } from '@outdial/db';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { migrateToFirstRelease, seedRunningCampaign } from './first-release.ts';

test('migrations give way to a transaction that holds one table and wants another, and run once it has ended', async () => {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const { databaseUrl } = database;
  await migrateToFirstRelease(databaseUrl);
  await seedRunningCampaign(databaseUrl);
  const [service, observer] = [databaseUrl, databaseUrl].map(
    (connectionString) => new pg.Client({ connectionString }),
  );
  if (service === undefined || observer === undefined) throw new Error('there are two');
  for (const client of [service, observer]) {
    await client.connect();
    onTestFinished(() => client.end());
  }
  await service.query('begin');
  await service.query('select from campaign_recipients for update limit 1');
  const migrating = migrateToLatest({ databaseUrl });
  await waitFor('the migration to wait', async () => {
    const { rows } = await observer.query('select from pg_locks where not granted');
    return rows.length > 0;
  });
  // Each of these tables is changed by a migration before the recipients are.
  for (const table of ['campaigns', 'calls', 'organizations', 'providers']) {
    await service.query(`lock table ${table} in row exclusive mode`);
  }
  await service.query('commit');
  expect((await migrating)[0]).toBe('0003_lines_where_capped');
});
