import { connect } from '@outdial/db';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';

const database = await useTestDatabase();
const operator = connect({ databaseUrl: database.databaseUrl, poolMax: 1, applicationName: 'operator' });
const db = connect({ databaseUrl: database.databaseUrl, poolMax: 4, applicationName: 'service' });
afterAll(async () => {
  await db.destroy();
  await operator.destroy();
});

/** All sessions of the service are now read-only, and stay so, like those of a standby. */
async function demote() {
  await sql`alter database ${sql.id(database.name)} set default_transaction_read_only = on`.execute(operator);
  await sql`select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name = 'service'`.execute(
    operator,
  );
}
const promote = () =>
  sql`alter database ${sql.id(database.name)} reset default_transaction_read_only`.execute(operator);

const write = () => sql`update outage_watch set reached_at = clock_timestamp()`.execute(db);
const isReadOnly = async () => {
  const { rows } = await sql<{ value: string }>`
    select current_setting('transaction_read_only') as value, pg_sleep(0.05)`.execute(db);
  return rows[0]?.value;
};
const ofEachConnection = () => Promise.all(Array.from({ length: 4 }, isReadOnly));

test('sessions that a demoted server left read-only are closed, all after the first failed write', async () => {
  await demote();
  expect(await ofEachConnection()).toEqual(['on', 'on', 'on', 'on']);
  await promote();
  // The sessions are as they were: without a new connection, writes fail for ever and reads are stale.
  await expect(write()).rejects.toThrow('read-only transaction');
  await write();
  expect(await ofEachConnection()).toEqual(['off', 'off', 'off', 'off']);
});

test('a transaction that is in progress then ends by itself, and its connection is closed', async () => {
  await demote();
  expect(await ofEachConnection()).toEqual(['on', 'on', 'on', 'on']);
  const held = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const reading = db.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx);
    began.resolve();
    await held.promise;
    return sql`select 2`.execute(tx);
  });
  await began.promise;
  await promote();
  await expect(write()).rejects.toThrow('read-only transaction');
  await write();
  held.resolve();
  await reading;
  expect(await ofEachConnection()).toEqual(['off', 'off', 'off', 'off']);
});
