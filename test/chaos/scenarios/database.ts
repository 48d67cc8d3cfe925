import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

/** Rows that constraints must refuse: inserts a copy of a live call with the given differences. */
async function insertBeside(
  world: ScenarioWorld,
  differs: { phone: string; attempt: number; phase: 'placing' | 'ended' },
): Promise<void> {
  await sql`
    insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, attempt, provider, phase, outcome,
      phone_number, prompt_id, created_by, created_at, gated_at, check_at, ended_at, line_held)
    select new_id(), organization_id, agent_id, campaign_id, recipient_id, ${differs.attempt}, provider, ${differs.phase},
      case when ${differs.phase} = 'ended' then 'busy' end, ${differs.phone}, prompt_id, created_by, created_at, gated_at,
      check_at, case when ${differs.phase} = 'ended' then engine_now() end, ${differs.phase} <> 'ended'
    from calls`.execute(world.db);
}

async function withLiveCall(world: ScenarioWorld): Promise<void> {
  await world.campaign();
  await world.engine.settle();
  assert.equal(world.accepted().length, 1);
}

export const oneLiveCallPerRecipient: Scenario = {
  name: 'a second live call of one recipient is written',
  promise: 'one attempt, one call',
  async run(world) {
    await withLiveCall(world);
    await assert.rejects(
      insertBeside(world, { phone: '+15551009999', attempt: 2, phase: 'placing' }),
      /calls_one_live_per_recipient/,
    );
  },
};

export const attemptsAreUnique: Scenario = {
  name: 'the same attempt is written twice',
  promise: 'one attempt, one call',
  async run(world) {
    await withLiveCall(world);
    await assert.rejects(
      insertBeside(world, { phone: '+15551009999', attempt: 1, phase: 'ended' }),
      /calls_attempts/,
    );
  },
};
