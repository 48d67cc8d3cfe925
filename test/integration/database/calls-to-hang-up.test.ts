import { randomUUID } from 'node:crypto';
import { findCallsToHangUp } from '@outdial/db';
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
  const { id: promptId } = await db
    .selectFrom('agent_prompts')
    .select('id')
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
  let number = 0;
  const waiting = async (provider: string, requestedAt: string) => {
    const id = randomUUID();
    await db
      .insertInto('calls')
      .values({
        id,
        organization_id: acme.id,
        agent_id: agentId,
        provider,
        phase: 'answered',
        phone_number: `+1212555${String((number += 1)).padStart(4, '0')}`,
        prompt_id: promptId,
        created_by: acme.userId,
        created_at: new Date(),
        gated_at: new Date(),
        accepted_at: new Date(),
        answered_at: new Date(),
        check_at: new Date(),
        hangup_requested_at: new Date(requestedAt),
        line_held: true,
        events: '[]',
      })
      .execute();
    return id;
  };
  const first = await waiting(silent, '2026-11-01T10:00:00Z');
  const second = await waiting(silent, '2026-11-01T10:00:01Z');
  const third = await waiting(silent, '2026-11-01T10:00:02Z');
  const later = await waiting(other, '2026-11-01T11:00:00Z');

  expect(await findCallsToHangUp(db, 2)).toEqual([first, later]);
  expect(await findCallsToHangUp(db, 9)).toEqual([first, later, second, third]);
});
