import { engineNow, inTransaction, readCallsLeft, updateOrganization, type Db } from '@outdial/db';
import { sql, type RawBuilder } from 'kysely';
import { expect, test } from 'vitest';
import { rowsRead } from '../../support/rows-read.ts';
import { apiWorld } from '../api/api-world.ts';

/** Inserts calls of an agent, one per second. */
const callsOf = (db: Db, agentId: string, { count, from }: { count: number; from: RawBuilder<unknown> }) =>
  sql`
    insert into calls (id, organization_id, agent_id, provider, phase, outcome, phone_number, prompt_id, created_by, created_at, gated_at, ended_at)
    select new_id(), p.organization_id, p.agent_id, 'simulator', 'ended', 'completed', '+4930123456', p.id, u.id, at, at, at
    from generate_series(0, ${count} - 1) as n
    cross join lateral (select ${from} + n * interval '1 second' as at) t
    cross join agent_prompts p
    cross join lateral (select id from users where organization_id = p.organization_id limit 1) u
    where p.agent_id = ${agentId}`.execute(db);

const dayOf23Hours = '2026-03-29T23:30:00Z';

test("a daily quota of calls counts 24 hours, even if the session's zone skips an hour", async () => {
  const { db, organization } = await apiWorld();
  const acme = await organization();
  await callsOf(db, await acme.agent(), { count: 1, from: sql`timestamptz '2026-03-29T23:10:00Z'` });
  await sql`
    update engine_clock set offset_ms = round(extract(epoch from ${dayOf23Hours}::timestamptz - clock_timestamp()) * 1000)`.execute(
    db,
  );
  const now = await engineNow(db);
  await inTransaction(db, (tx) => updateOrganization(tx, acme.id, { max_calls_per_day: 10 }, now));
  const { left, dayEndsAt } = await inTransaction(db, async (tx) => {
    await sql`set local timezone = 'Europe/Berlin'`.execute(tx);
    return readCallsLeft(tx, acme.id);
  });
  expect({ left, dayEndsAt }).toEqual({ left: 9, dayEndsAt: new Date('2026-03-30T00:00:00Z') });
});

test('a daily quota only reads the calls of today', async () => {
  const { db, organization } = await apiWorld();
  const acme = await organization();
  await callsOf(db, await acme.agent(), { count: 5_000, from: sql`engine_now() - interval '2 days'` });
  await sql`analyze calls`.execute(db);
  const now = await engineNow(db);
  await inTransaction(db, (tx) => updateOrganization(tx, acme.id, { max_calls_per_day: 10 }, now));

  const { result, read } = await inTransaction(db, (tx) =>
    rowsRead(tx, 'calls', () => readCallsLeft(tx, acme.id)),
  );

  expect(result.left).toBe(10);
  expect(read).toBe(0);
});
