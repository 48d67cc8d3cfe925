import { migrateToLatest } from '@outdial/db';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { migrateToFirstRelease, seedRunningCampaign } from './first-release.ts';

test('migrations yield to a transaction that locks one table and wants another, and run after it', async () => {
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
  // Migrations change each of these tables before the recipients.
  for (const table of ['campaigns', 'calls', 'organizations', 'providers']) {
    await service.query(`lock table ${table} in row exclusive mode`);
  }
  await service.query('commit');
  expect((await migrating)[0]).toBe('0003_lines_where_capped');
});

test('a migration rebuilds an index whose concurrent build failed', async () => {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const { databaseUrl } = database;
  await migrateToFirstRelease(databaseUrl);
  const [builder, other] = [databaseUrl, databaseUrl].map(
    (connectionString) => new pg.Client({ connectionString }),
  );
  if (builder === undefined || other === undefined) throw new Error('there are two');
  for (const client of [builder, other]) {
    await client.connect();
    onTestFinished(() => client.end());
  }
  const isValid = async () => {
    const { rows } = await other.query<{ indisvalid: boolean }>(
      "select indisvalid from pg_index where indexrelid = 'calls_by_campaign'::regclass",
    );
    return rows[0]?.indisvalid;
  };
  await other.query('begin; lock table calls in row exclusive mode');
  await builder.query("set statement_timeout = '200ms'");
  await expect(
    builder.query(`create index concurrently calls_by_campaign
      on calls (campaign_id, created_at desc, id desc) where campaign_id is not null`),
  ).rejects.toMatchObject({ code: '57014' });
  await other.query('commit');
  expect(await isValid()).toBe(false);
  expect(await migrateToLatest({ databaseUrl })).toContain('0005_calls_of_a_campaign');
  expect(await isValid()).toBe(true);
});

test('recordings that were stored before they were counted are counted, in as many batches as they need', async () => {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const { databaseUrl } = database;
  await migrateToFirstRelease(databaseUrl);
  const { organizationId } = await seedRunningCampaign(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  // In addition to the 45 calls of the campaign, which have no recordings.
  await client.query(`
    insert into calls (id, organization_id, agent_id, provider, phase, outcome, phone_number, prompt_id, created_by,
      created_at, gated_at, accepted_at, ended_at, recording_url)
    select new_id(), c.organization_id, agent_id, 'simulator', 'ended', 'completed', '+1555900' || n, prompt_id, created_by,
      c.created_at, gated_at, accepted_at, ended_at, case when n % 2 = 0 then 'outdial-recording:100' else 'https://example.com/1' end
    from generate_series(1, 11000) n, lateral (select * from calls where campaign_id is not null limit 1) c`);
  await migrateToLatest({ databaseUrl });
  const { rows } = await client.query(
    'select organization_id, bytes::int, (select count(*)::int from stored_recordings where is_recorded) as files from recorded_bytes',
  );
  expect(rows).toEqual([{ organization_id: organizationId, bytes: 550_000, files: 5_500 }]);
});

test('a table of another owner in the schema does not prevent migrations', async () => {
  const database = await createTestDatabase({ migrated: false });
  const role = `owner_of_${database.name}`;
  const admin = new pg.Client({ connectionString: database.databaseUrl });
  await admin.connect();
  onTestFinished(async () => {
    // In the opposite order, because the role's objects are dropped with the database.
    await admin.query(`reassign owned by ${role} to current_user`);
    await admin.query(`drop owned by ${role}`);
    await admin.query(`drop role ${role}`);
    await admin.end();
    await database.drop();
  });
  await admin.query(`create role ${role}`);
  await admin.query(`alter database ${database.name} owner to ${role}`);
  await admin.query('create table of_another ()');
  const url = new URL(database.databaseUrl);
  url.searchParams.set('options', `-c role=${role}`);
  expect(await migrateToLatest({ databaseUrl: url.href })).toContain('0003_lines_where_capped');
  const { rows } = await admin.query("select tableowner from pg_tables where tablename = 'calls'");
  expect(rows).toEqual([{ tableowner: role }]);
});
