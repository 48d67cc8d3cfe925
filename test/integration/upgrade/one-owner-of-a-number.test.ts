import { connect, createOrganization, inTransaction } from '@outdial/db';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { up } from '../../../db/migrations/0088_one_owner_of_a_number.ts';
import { createTestDatabase } from '../../support/database.ts';

test('an upgrade keeps the numbers of one organization in use, and asks whose a number of several is', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const db = connect({ databaseUrl: database.databaseUrl, poolMax: 2, applicationName: 'test' });
  onTestFinished(() => db.destroy());
  const [first, second] = [
    await createOrganization(db, { name: 'First' }),
    await createOrganization(db, { name: 'Second' }),
  ];
  // As in the release before.
  await sql`drop index caller_ids_by_number`.execute(db);
  await sql`create index caller_ids_by_number on caller_ids (phone_number)`.execute(db);
  const [own, shared] = ['+12125550101', '+12125550102'];
  const add = (organizationId: string, number: string, minute: number) =>
    sql`
      insert into caller_ids (organization_id, phone_number, country, calls_per_day, warm_up_from, state, created_at, updated_at)
      select ${organizationId}, ${number}, 'US', 100, at, 'active', at, at
      from (select timestamptz '2027-03-01T12:00:00Z' + ${minute} * interval '1 minute' as at) t`.execute(db);
  await add(first, own, 1);
  await add(second, shared, 3);
  await add(first, shared, 2);

  await inTransaction(db, (tx) => up(tx.$pickTables<never>()));

  const rows = db.selectFrom('caller_ids').select(['organization_id', 'phone_number', 'state']);
  expect(await rows.orderBy('phone_number').execute()).toEqual([
    { organization_id: first, phone_number: own, state: 'active' },
    { organization_id: first, phone_number: shared, state: 'pending' },
  ]);
  const entries = await db.selectFrom('audit_log').select(['organization_id', 'changes']).execute();
  expect(entries).toHaveLength(2);
  expect(entries).toContainEqual({
    organization_id: second,
    changes: { phone_number: { before: shared, after: null } },
  });
  await expect(add(second, own, 4)).rejects.toMatchObject({ code: '23505' });
});
