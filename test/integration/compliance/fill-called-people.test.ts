import { fillCalledPeople, setPersonCaps } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { campaignByHand } from '../engine/by-hand.ts';

/** An organization without caps that has called ten people six times each, five days apart. */
async function world() {
  const hand = await campaignByHand();
  const { stack, recipient } = hand;
  const { db } = stack;
  await hand.end(await hand.dial(), 'completed');
  const { organization_id: organizationId } = await recipient();
  await sql`
    insert into calls (id, organization_id, agent_id, provider, phase, phone_number, prompt_id, created_by, created_at,
      gated_at, ended_at, outcome)
    select new_id(), organization_id, agent_id, provider, 'ended', '+1555300' || lpad((n % 10)::text, 4, '0'), prompt_id, created_by,
      at, at, at, 'busy'
    from (select * from calls limit 1) one cross join generate_series(0, 59) n
    cross join lateral (select engine_now() - (n / 10 * 5 + 1) * interval '1 day' - n * interval '1 second' as at) d`.execute(
    db,
  );
  const ledger = async () => {
    const rows = await db.selectFrom('called_people').selectAll().orderBy('phone_number').execute();
    return rows.map((row) => row.dialed_at.length);
  };
  const cap = async () =>
    setPersonCaps(db, {
      organizationId,
      change: { calls: [{ calls: 3, hours: 24 }] },
      now: await stack.clock.now(),
    });
  return { ...hand, db, organizationId, ledger, cap };
}

/** Inserted calls have no events, which the check of the outbox would report. */
const forget = (db: Awaited<ReturnType<typeof world>>['db']) =>
  sql`delete from calls where campaign_id is null`.execute(db);

test('calls are counted in batches before caps are set, each once, and those of the last minutes when the caps are set', async () => {
  const { db, organizationId, ledger, cap } = await world();
  expect(await fillCalledPeople(db, organizationId, { limit: 7 })).toBe(60);
  expect(await ledger()).toEqual(Array.from({ length: 10 }, () => 6));
  await fillCalledPeople(db, organizationId, { limit: 7 });
  await cap();
  // The number that was called a moment ago is the eleventh.
  expect((await ledger()).toSorted((one, other) => one - other)).toEqual([
    1,
    ...Array.from({ length: 10 }, () => 6),
  ]);
  await forget(db);
});

test.each([
  ['not those that were counted a moment before', 0, 1],
  ['older ones again, because gates without caps write no ledger', 11, 11],
])('while gates wait, calls are read: %s', async (_, minutes, people) => {
  const { stack, db, organizationId, ledger, cap } = await world();
  await fillCalledPeople(db, organizationId);
  await db.deleteFrom('called_people').execute();
  await stack.clock.advance(minutes * 60_000);
  await cap();
  expect(await ledger()).toHaveLength(people);
  await forget(db);
});

test.each([
  ['in batches', 'a campaign'],
  ['in batches', 'direct calls'],
  ['while gates wait', 'a campaign'],
  ['while gates wait', 'direct calls'],
])('conversations about a debt before the caps count as well, %s, of %s', async (how, of) => {
  const hand = await campaignByHand({ purpose: 'debt_collection' });
  const { stack, recipient } = hand;
  const { db } = stack;
  await hand.end(await hand.dial(), 'completed');
  const endedAt = await stack.clock.now();
  if (of === 'direct calls') {
    await db
      .updateTable('calls')
      .set({ campaign_id: null, recipient_id: null, purpose: 'debt_collection' })
      .execute();
  }
  await stack.clock.advance(10 * 60_000);
  const { organization_id: organizationId } = await recipient();
  if (how === 'in batches') await fillCalledPeople(db, organizationId);
  await setPersonCaps(db, {
    organizationId,
    change: { after_conversation_hours: 168 },
    now: await stack.clock.now(),
  });
  const [person] = await db.selectFrom('called_people').selectAll().execute();
  expect(Math.abs(endedAt.getTime() - (person?.conversation_at?.getTime() ?? 0))).toBeLessThan(60_000);
});
