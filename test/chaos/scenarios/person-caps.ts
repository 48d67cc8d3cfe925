import assert from 'node:assert/strict';
import { setPersonCaps } from '@outdial/db';
import { sql } from 'kysely';
import { callBlocker, gatedNumber, lockNumber, runAdvances } from './open-gate.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

/** Caps on the calls to a person, over all campaigns. */

const [before, person] = [gatedNumber, '+15551000002'] as const;

/** Ends the call in progress to a number, if there is one, as unanswered. */
async function endCallTo(world: ScenarioWorld, phoneNumber: string): Promise<void> {
  const live = (await world.calls()).find(
    (call) => call.phone_number === phoneNumber && call.phase !== 'ended',
  );
  if (live) await world.event(live.id, 'call.ended', { outcome: 'no_answer' });
}

export const capMeetsGates: Scenario = {
  name: 'two campaigns dial one person at once, and the call of one ends while the gate of the other decides',
  promise: 'caps per person hold across campaigns',
  async run(world) {
    await setPersonCaps(world.db, {
      organizationId: world.organization.id,
      change: { calls: [{ calls: 1, hours: 24 }] },
      now: new Date('2027-03-01T12:00:00Z'),
    });
    // The person was called last week, so the ledger has a row, and neither gate waits for the other's insert of it.
    await sql`
      insert into called_people (organization_id, phone_number, dialed_at, campaign_ids)
      select ${world.organization.id}, ${person}, array[engine_now() - interval '7 days'], array[gen_random_uuid()]`.execute(
      world.db,
    );
    await callBlocker(world);
    await world.campaign({ numbers: [before, person] });
    await world.campaign({ numbers: [person] });
    const [both, quick] = world.jobs.take('advance-campaign');
    assert.ok(both && quick);
    const release = await lockNumber(world);
    // One statement decides for both numbers. It has read the ledger before the other call, and blocks on the insert of the call to the first number.
    const deciding = world.engine.run(both);
    await world.untilBlocked('worker');
    const other = world.openEngine('other');
    const placing = other.run(quick);
    await Promise.race([placing, world.untilBlocked('other')]);
    await endCallTo(world, person);
    await release();
    await Promise.all([deciding, placing]);
    await endCallTo(world, person);
    await world.campaign({ numbers: [person] });
    await runAdvances(world);
    const gated = (await world.calls()).filter((call) => call.phone_number === person && call.gated_at);
    assert.equal(gated.length, 1, 'a person was called more often than the cap allows');
  },
};
