import { complianceRowsAtMost, scrubListsHeldAtMost } from '@outdial/core';
import {
  addNumberChanges,
  addToScrubList,
  connect,
  createOrganization,
  engineNow,
  forgetScrubbedNumbers,
  inTransaction,
  removeNumberChange,
  removeScrubList,
  type ScrubPart,
} from '@outdial/db';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';
import { overlapping } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';

const database = await useTestDatabase();
const db = connect({ databaseUrl: database.databaseUrl });
afterAll(() => db.destroy());
const [first = '', second = '', third = ''] = phoneNumbers(3);
const refusal = { code: 'quota_exceeded' };
type Relation = keyof typeof complianceRowsAtMost;

async function setup() {
  const organizationId = await createOrganization(db, { name: 'Acme' });
  const now = (await engineNow(db)).getTime();
  const part = (name: string, numbers: string[], hoursAgo = 1): ScrubPart => ({
    organizationId,
    name,
    source: 'a registry',
    account: null,
    scrubbedAt: new Date(now - hoursAgo * 3_600_000),
    phoneNumbers: numbers,
    isComplete: true,
    isChecked: false,
  });
  return {
    organizationId,
    part,
    list: (name: string, numbers: string[], hoursAgo = 1) =>
      inTransaction(db, (tx) => addToScrubList(tx, part(name, numbers, hoursAgo))),
    removeList: (name: string) => inTransaction(db, (tx) => removeScrubList(tx, { organizationId, name })),
    change: (numbers: string[]) =>
      inTransaction(db, (tx) =>
        addNumberChanges(tx, {
          organizationId,
          createdBy: null,
          changes: numbers.map((phoneNumber) => ({
            phone_number: phoneNumber,
            kind: 'ported' as const,
            changed_at: new Date(now - 3_600_000),
            source: 'a registry',
          })),
        }),
      ),
    /** The counter, and the actual number of rows. */
    async held(relation: Relation) {
      const { rows } = await sql<{ counted: number; rows: number }>`
        select (select held from compliance_rows_held where organization_id = ${organizationId} and relation = ${relation})
            as counted,
          (select count(*)::integer from ${sql.table(relation)} where organization_id = ${organizationId}) as rows`.execute(
        db,
      );
      return rows[0];
    },
    /** Pretends that there are this many more rows. */
    async pretend(relation: Relation, held: number) {
      await db
        .updateTable('compliance_rows_held')
        .set({ held })
        .where('organization_id', '=', organizationId)
        .where('relation', '=', relation)
        .execute();
    },
    async makeLists(count: number) {
      await sql`
        insert into scrub_lists (organization_id, name, source, created_at, updated_at)
        select ${organizationId}, 'list-' || n, 'a registry', engine_now(), engine_now()
        from generate_series(1, ${count}::integer) n`.execute(db);
    },
    async lists() {
      const { rows } = await sql<{ name: string }>`
        select name from scrub_lists where organization_id = ${organizationId} and removed_at is null`.execute(
        db,
      );
      return rows.map(({ name }) => name);
    },
  };
}

describe('scrub lists', () => {
  test('are a hundred at most: another is refused, and a newer version of an existing one accepted', async () => {
    const acme = await setup();
    await acme.makeLists(scrubListsHeldAtMost);
    await expect(acme.list('one-more', [first])).rejects.toMatchObject(refusal);
    expect(await acme.lists()).not.toContain('one-more');
    expect(await acme.list('list-1', [first])).toMatchObject({ added: 1 });
    await acme.removeList('list-2');
    expect(await acme.list('one-more', [first])).toMatchObject({ added: 1 });
  });

  test('that are created concurrently are a hundred at most', async () => {
    const acme = await setup();
    await acme.makeLists(scrubListsHeldAtMost - 1);
    const another = overlapping(
      db,
      (tx) => addToScrubList(tx, acme.part('one', [])),
      () => acme.list('another', []),
    );
    await expect(another).rejects.toMatchObject(refusal);
    expect(await acme.lists()).not.toContain('another');
  });

  test('have a limit of numbers, and a request beyond it stores none', async () => {
    const acme = await setup();
    const other = await setup();
    await acme.list('national', [first]);
    await acme.pretend('scrub_list_numbers', complianceRowsAtMost.scrub_list_numbers - 1);
    await expect(acme.list('state', [second, third])).rejects.toMatchObject(refusal);
    expect(await acme.held('scrub_list_numbers')).toMatchObject({ rows: 1 });
    expect(await acme.lists()).toEqual(['national']);
    expect(await acme.list('state', [second])).toMatchObject({ added: 1 });
    // Known numbers use no capacity.
    await acme.list('national', [first], 0);
    await expect(acme.list('national', [third], 0)).rejects.toMatchObject(refusal);
    expect(await other.list('national', [first, second])).toMatchObject({ added: 2 });
  });

  test('are counted as they come and go', async () => {
    const acme = await setup();
    await acme.list('national', [first, second], 2);
    await acme.list('state', [first]);
    expect(await acme.held('scrub_list_numbers')).toEqual({ counted: 3, rows: 3 });
    await acme.list('national', [second, third], 1);
    expect(await acme.held('scrub_list_numbers')).toEqual({ counted: 4, rows: 4 });
    await acme.removeList('state');
    await forgetScrubbedNumbers(db, 100);
    expect(await acme.held('scrub_list_numbers')).toEqual({ counted: 2, rows: 2 });
  });
});

test('changes of numbers have a limit, and are counted as they come and go', async () => {
  const acme = await setup();
  const { organizationId } = acme;
  expect(await acme.change([first, second])).toBe(2);
  expect(await acme.change([first])).toBe(0);
  const { id: changeId } = await db
    .selectFrom('number_changes')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('phone_number', '=', first)
    .executeTakeFirstOrThrow();
  await inTransaction(db, (tx) => removeNumberChange(tx, { organizationId, changeId }));
  expect(await acme.held('number_changes')).toEqual({ counted: 1, rows: 1 });
  await acme.pretend('number_changes', complianceRowsAtMost.number_changes - 1);
  await expect(acme.change([first, third])).rejects.toMatchObject(refusal);
  expect(await acme.change([first])).toBe(1);
  await expect(acme.change([third])).rejects.toMatchObject(refusal);
  expect(await acme.held('number_changes')).toMatchObject({ rows: 2 });
});
