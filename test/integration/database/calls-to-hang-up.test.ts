import { randomUUID } from 'node:crypto';
import { findCallsToHangUp } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { apiWorld } from '../api/api-world.ts';

const { db, organization } = await apiWorld();

test('calls to hang up are taken from each provider in turn, so one that confirms nothing delays no other', async () => {
  const acme = await organization();
  const agentId = await acme.agent();
  const [silent, other] = [randomUUID(), randomUUID()];
  await db
    .insertInto('providers')
    .values([silent, other].map((name) => ({ name, adapter: 'gateway' })))
    .execute();
  let number = 1_000;
  const waiting = async (provider: string, requestedAt: string) => {
    const id = randomUUID();
    number += 1;
    await sql`
      insert into calls (id, organization_id, agent_id, provider, phase, phone_number, prompt_id, line_held, events,
        created_at, gated_at, accepted_at, answered_at, check_at, hangup_requested_at)
      select ${id}, organization_id, agent_id, ${provider}, 'answered', ${`+1212555${number}`}, id, true, '[]',
        now(), now(), now(), now(), now(), ${requestedAt}::timestamptz
      from agent_prompts where agent_id = ${agentId}`.execute(db);
    return id;
  };
  const first = await waiting(silent, '2026-11-01T10:00:00Z');
  const second = await waiting(silent, '2026-11-01T10:00:01Z');
  const third = await waiting(silent, '2026-11-01T10:00:02Z');
  const later = await waiting(other, '2026-11-01T11:00:00Z');

  expect(await findCallsToHangUp(db, 2)).toEqual([first, later]);
  expect(await findCallsToHangUp(db, 9)).toEqual([first, later, second, third]);
});
