import { connect, prepared } from '@outdial/db';
import { openPublisher, prepareQueueBackend } from '@outdial/queues';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { recordingLog } from '../queues.world.ts';

test('what the database sets for its sessions does not change how values are read and written', async () => {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const operator = connect({ databaseUrl: database.databaseUrl, poolMax: 1 });
  onTestFinished(() => operator.destroy());
  for (const setting of [
    `datestyle = 'German'`,
    `intervalstyle = 'iso_8601'`,
    `timezone = 'Asia/Kathmandu'`,
    `client_encoding = 'LATIN1'`,
    `bytea_output = 'escape'`,
    `extra_float_digits = -15`,
    `default_transaction_isolation = 'serializable'`,
  ]) {
    await sql`alter database ${sql.id(database.name)} set ${sql.raw(setting)}`.execute(operator);
  }
  const db = connect({ databaseUrl: database.databaseUrl, poolMax: 2 });
  onTestFinished(() => db.destroy());
  const { rows } = await sql<Record<string, unknown>>`
    select '2027-03-04T05:06:07Z'::timestamptz as at, '2027-03-04'::date::text as day, 'ž€😀' as text, 0.1::float8 + 0.2 as float,
      '\\xff00'::bytea as bytes, current_setting('transaction_isolation') as isolation, (now() at time zone 'UTC' = localtimestamp) as is_utc,
      '1 day 02:00'::interval::text as pause`.execute(db);
  expect(rows[0]).toEqual({
    at: new Date('2027-03-04T05:06:07Z'),
    day: '2027-03-04',
    text: 'ž€😀',
    float: 0.1 + 0.2,
    bytes: Buffer.from([0xff, 0]),
    isolation: 'read committed',
    is_utc: true,
    pause: '1 day 02:00:00',
  });

  const config = { kind: 'postgres', url: database.databaseUrl } as const;
  await prepareQueueBackend(config);
  const publisher = openPublisher(config, { log: recordingLog() });
  onTestFinished(() => publisher.close());
  await publisher.ping();
});

test('nothing is prepared behind a pooler that loses prepared statements', async () => {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const namesWith = async (prepares: boolean) => {
    const db = connect({ databaseUrl: database.databaseUrl, poolMax: 1, prepares });
    onTestFinished(() => db.destroy());
    await sql`select ${'a'}::text`.execute(prepared(db));
    return (await sql`select name from pg_prepared_statements`.execute(db)).rows.length;
  };
  expect(await namesWith(true)).toBe(1);
  expect(await namesWith(false)).toBe(0);
});
