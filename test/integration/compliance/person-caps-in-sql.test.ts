import { longestPersonCapHours, personFreeAt, type PersonHistory } from '@outdial/core';
import { countedDials, personFreeAt as personFreeAtInSql } from '@outdial/db';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const start = Date.UTC(2027, 2, 1);
const mine = '00000000-0000-0000-0000-000000000001';
const another = '00000000-0000-0000-0000-000000000002';
const instant = fc.integer({ min: 0, max: 400_000 }).map((seconds) => new Date(start + seconds * 1000));
const caps = fc.record({
  calls: fc.array(
    fc.record({ calls: fc.integer({ min: 1, max: 4 }), hours: fc.integer({ min: 1, max: 90 }) }),
    { maxLength: 3 },
  ),
  gap_seconds: fc.option(fc.integer({ min: 1, max: 50_000 }), { nil: null }),
  after_conversation_hours: fc.option(fc.integer({ min: 1, max: 90 }), { nil: null }),
});
const history = fc.record({
  dials: fc.array(fc.record({ at: instant, campaignId: fc.constantFrom(mine, another, null) }), {
    maxLength: 6,
  }),
  conversationAt: fc.option(instant, { nil: null }),
});
const call = fc.record({ campaignId: fc.constantFrom(mine, null), isDebtCollection: fc.boolean() });

const ats = ({ dials }: PersonHistory) => dials.map((dial) => dial.at.toISOString());
const bys = ({ dials }: PersonHistory) => dials.map((dial) => dial.campaignId);

test('the gate agrees with the rule about a person', async () => {
  const { db } = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const cases = fc.sample(fc.record({ caps, history, call }), { numRuns: 400, seed: 1 });
  const rows = cases.map((one, n) => ({
    n,
    caps: JSON.stringify(one.caps),
    at: ats(one.history),
    by: bys(one.history),
    conversation_at: one.history.conversationAt,
    campaign_id: one.call.campaignId,
    is_debt: one.call.isDebtCollection,
  }));
  const freeAt = personFreeAtInSql({
    caps: sql`(x.caps::jsonb)`,
    dialed_at: sql`x.at`,
    campaign_ids: sql`x.by`,
    conversation_at: sql`x.conversation_at`,
    now: sql`now()`,
    campaign_id: sql`x.campaign_id`,
    is_debt_collection: sql`x.is_debt`,
    own_dial: sql`null::timestamptz`,
  });
  const told = await sql<{ free_at: Date | null }>`
    select ${freeAt} as free_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(
      n int, caps text, at timestamptz[], by uuid[], conversation_at timestamptz, campaign_id uuid, is_debt boolean)
    order by n`.execute(db);
  const answers = cases.map((one, n) => ({ ...one, freeAt: told.rows[n]?.free_at ?? null }));
  expect(answers).toEqual(
    cases.map((one) => ({ ...one, freeAt: personFreeAt(one.caps, one.history, one.call) })),
  );
});

test('a dial is inserted in order of time, and dials that no cap counts are dropped', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const { db } = stack;
  const { id: organizationId } = await stack.organization();
  const longestMs = longestPersonCapHours * 3_600_000;
  // On both sides of the newest dial, and of the interval of the cap.
  const dialAt = fc.integer({ min: 0, max: 20 }).map((tenths) => new Date(start + (tenths * longestMs) / 10));
  const campaign = fc.constantFrom(mine, another, null);
  const dials = fc.uniqueArray(dialAt, { maxLength: 5, selector: (at) => at.getTime() });
  const cases = fc.sample(
    fc.record({ dials, at: dialAt.map((at) => new Date(at.getTime() + 1)), by: campaign }),
    { numRuns: 200, seed: 1 },
  );
  const people = cases.map((one, n) => {
    const before = one.dials.toSorted((a, b) => a.getTime() - b.getTime());
    return { number: `+1212555${1000 + n}`, at: one.at, by: one.by, before };
  });
  const rows = people.map(({ number, at, by, before }) => ({
    number,
    at,
    by,
    dialed_at: before,
    campaign_ids: before.map(() => another),
  }));
  await sql`
    insert into called_people (organization_id, phone_number, dialed_at, campaign_ids)
    select ${organizationId}, number, dialed_at, campaign_ids
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(number text, dialed_at timestamptz[], campaign_ids uuid[])`.execute(
    db,
  );
  await countedDials(sql`(
    select ${organizationId}::uuid as organization_id, number as phone_number, by as campaign_id, at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(number text, at timestamptz, by uuid))`).execute(
    db,
  );
  const { rows: kept } = await sql<{ at: Date[]; by: Array<string | null> }>`
    select dialed_at as at, campaign_ids as by from called_people
    where organization_id = ${organizationId} order by phone_number`.execute(db);
  const expected = people.map(({ at, by, before }) =>
    [...before.map((one) => ({ at: one, by: another as string | null })), { at, by }]
      .filter((one) => one.at.getTime() > at.getTime() - longestMs)
      .toSorted((a, b) => a.at.getTime() - b.at.getTime()),
  );
  expect(kept).toEqual(expected.map((of) => ({ at: of.map((one) => one.at), by: of.map((one) => one.by) })));
});
