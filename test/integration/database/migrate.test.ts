import { readdir } from 'node:fs/promises';
import { connect, migrateToLatest } from '@outdial/db';
import { Migrator, type Migration } from 'kysely/migration';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { runOutdial } from '../cli/run-outdial.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

/** A database of a release that ended before a migration. */
async function databaseBefore(migration: string) {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const db = connect({ databaseUrl: database.databaseUrl, poolMax: 1, applicationName: 'test' });
  const folder = new URL('../../../db/migrations/', import.meta.url);
  const names = (await readdir(folder))
    .map((file) => file.replace('.ts', ''))
    .filter((name) => name < migration);
  const migrations: Record<string, Migration> = {};
  for (const name of names) {
    migrations[name] = (await import(new URL(`${name}.ts`, folder).href)) as Migration;
  }
  await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  await db.destroy();
  return database;
}

test.each([
  ...['0001_initial', '0001_installation'].map((name) => [
    name,
    'the database was made by a checkout from before Outdial 1.0, and cannot be upgraded: use an empty database',
  ]),
  [
    '9999_later',
    'the database was made by a later release of Outdial (9999_later): use that release or a later one',
  ],
])('a database with the migration %s is refused unchanged', async (name, message) => {
  const { databaseUrl } = await databaseBefore('0002');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('insert into kysely_migration values ($1, now())', [name]);
  await expect(migrateToLatest({ databaseUrl })).rejects.toMatchObject({ code: 'foreign_database', message });
  const { rows } = await client.query("select to_regclass('organizations') as organizations");
  expect(rows).toEqual([{ organizations: null }]);
});

test('the database of a later release is accepted as it is, and one with a hole is refused', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { databaseUrl } = database;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  const add = (name: string) => client.query('insert into kysely_migration values ($1, now())', [name]);
  await add('9998_later');
  await add('9999_later');
  expect(await migrateToLatest({ databaseUrl })).toEqual({ ran: [], later: '9999_later' });
  const printed = await runOutdial(['migrate'], { env: { DATABASE_URL: databaseUrl } });
  expect(printed).toMatchObject({ status: 0, err: '' });
  expect(printed.out).toContain('nothing to do: a later release has migrated the database (9999_later)');
  await add('0002_of_another_branch');
  await expect(migrateToLatest({ databaseUrl })).rejects.toMatchObject({ code: 'foreign_database' });
});

test('migrations yield to a transaction that locks one table and wants another, and run after it', async () => {
  const { databaseUrl } = await databaseBefore('0008_events');
  const [service, observer] = [databaseUrl, databaseUrl].map(
    (connectionString) => new pg.Client({ connectionString }),
  );
  if (service === undefined || observer === undefined) throw new Error('there are two');
  for (const client of [service, observer]) {
    await client.connect();
    onTestFinished(() => client.end());
  }
  await service.query('begin');
  await service.query('lock table campaign_recipients in row exclusive mode');
  const migrating = migrateToLatest({ databaseUrl });
  await waitFor('the migration to wait', async () => {
    const { rows } = await observer.query(
      `select from pg_locks
       where not granted and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length > 0;
  });
  // Other tables than the one that it has locked.
  for (const table of ['campaigns', 'calls', 'organizations', 'providers']) {
    await service.query(`lock table ${table} in row exclusive mode`);
  }
  await service.query('commit');
  expect((await migrating).ran).toContain('0008_events');
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
  expect((await migrateToLatest({ databaseUrl: url.href })).ran).toContain('0001_base');
  const { rows } = await admin.query("select tableowner from pg_tables where tablename = 'calls'");
  expect(rows).toEqual([{ tableowner: role }]);
});

test('a database of 1.0.0 with data is upgraded, and keeps its rows', async () => {
  // The last migration of 1.0.0 is 0008.
  const { databaseUrl } = await databaseBefore('0009');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(dataOf1);
  const count = async () => (await client.query<Record<string, string>>(rowsOf1)).rows[0];
  const before = await count();
  expect(before).toEqual({
    campaign_recipients: '1',
    calls: '1',
    suppressions: '1',
    consents: '1',
    outbox: '1',
  });
  await migrateToLatest({ databaseUrl });
  expect(await count()).toEqual(before);
  // Nothing is left to run.
  expect(await migrateToLatest({ databaseUrl })).toEqual({ ran: [], later: null });
});

const dataOf1 = `
  insert into organizations (id, name) values ('00000000-0000-7000-8000-000000000001', 'Acme');
  insert into users (id, organization_id, email, first_name, last_name, role)
    select '00000000-0000-7000-8000-000000000002', id, 'ada@acme.example', 'Ada', 'Lovelace', 'admin' from organizations;
  insert into agents (id, organization_id, name)
    select '00000000-0000-7000-8000-000000000003', id, 'Agent' from organizations;
  insert into agent_prompts (organization_id, agent_id, level, prompt) select organization_id, id, 1, 'Hello' from agents;
  insert into campaigns (id, organization_id, name, agent_id, status, start_at, start_time, end_time, timezone, calling_keys, created_by, started_by)
    select '00000000-0000-7000-8000-000000000004', organization_id, 'Spring', id, 'running', now(), '09:00', '17:00', 'UTC', '{UTC}',
      '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000002' from agents;
  insert into campaign_runtime (campaign_id, organization_id, provider) select id, organization_id, 'simulator' from campaigns;
  insert into campaign_recipients (id, organization_id, campaign_id, position, phone_number, calling_key, state, attempts, round_attempts, last_outcome)
    select '00000000-0000-7000-8000-000000000005', organization_id, id, 1, '+15551230001', 'UTC', 'done', 1, 1, 'completed' from campaigns;
  insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, provider, phase, outcome, phone_number, prompt_id, created_at, ended_at)
    select '00000000-0000-7000-8000-000000000006', r.organization_id, p.agent_id, r.campaign_id, r.id, 'simulator', 'ended', 'completed',
      r.phone_number, p.id, now(), now() from campaign_recipients r, agent_prompts p;
  insert into consents (organization_id, phone_number, basis, source, given_at)
    select organization_id, phone_number, 'prior_express', 'web form', now() from campaign_recipients;
  insert into suppressions (organization_id, phone_number) select id, '+15551230002' from organizations;`;

const rowsOf1 = `select ${['campaign_recipients', 'calls', 'suppressions', 'consents', 'outbox']
  .map((table) => `(select count(*) from ${table}) as ${table}`)
  .join(', ')}`;
