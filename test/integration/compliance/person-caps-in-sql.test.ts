import { personFreeAt, type PersonCaps, type PersonHistory } from '@outdial/core';
import { personFreeAtSql } from '@outdial/db';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
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
  gapSeconds: fc.option(fc.integer({ min: 1, max: 50_000 }), { nil: null }),
  afterConversationHours: fc.option(fc.integer({ min: 1, max: 90 }), { nil: null }),
});
const history = fc.record({
  dials: fc.array(fc.record({ at: instant, campaignId: fc.constantFrom(mine, another, null) }), {
    maxLength: 6,
  }),
  conversationAt: fc.option(instant, { nil: null }),
});
const call = fc.record({ campaignId: fc.constantFrom(mine, null), isDebtCollection: fc.boolean() });

const capsJson = ({ calls, gapSeconds, afterConversationHours }: PersonCaps) =>
  JSON.stringify({ calls, gap_seconds: gapSeconds, after_conversation_hours: afterConversationHours });
const ats = ({ dials }: PersonHistory) => dials.map((dial) => dial.at.toISOString());
const bys = ({ dials }: PersonHistory) => dials.map((dial) => dial.campaignId);

test('the gate says of a person what the one rule says', async () => {
  const { db } = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
  const cases = fc.sample(fc.record({ caps, history, call }), { numRuns: 400, seed: 1 });
  const rows = cases.map((one, n) => ({
    n,
    caps: capsJson(one.caps),
    at: ats(one.history),
    by: bys(one.history),
    conversation_at: one.history.conversationAt,
    campaign_id: one.call.campaignId,
    is_debt: one.call.isDebtCollection,
  }));
  const freeAt = personFreeAtSql({
    caps: sql`(x.caps::jsonb)`,
    dialed_at: sql`x.at`,
    dialed_by: sql`x.by`,
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
