import assert from 'node:assert/strict';
import { inTransaction, updateCallerId } from '@outdial/db';
import { sql } from 'kysely';
import { heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';

const [blocker, before, other] = ['+15551000000', '+15551000001', '+15551000002'] as const;

async function withCallerId(world: ScenarioWorld, callsPerDay: number): Promise<string> {
  const id = await addConfirmedCallerId(world.db, {
    organizationId: world.organization.id,
    callerId: {
      phoneNumber: '+12125550123',
      country: 'US',
      prefixes: [],
      attestation: null,
      callsPerDay,
      callsPerHour: null,
      warmUpDays: 0,
    },
  });
  assert.ok(id);
  return id;
}

export const callerIdsMeetDials: Scenario = {
  name: 'two campaigns dial at once, and the caller ids have one call left',
  promise: 'no caller id makes more calls than it may',
  async run(world) {
    await withCallerId(world, 1);
    await world.campaign({ numbers: [before] });
    await world.campaign({ numbers: [other] });
    const [first, second] = world.jobs.take('advance-campaign');
    assert.ok(first && second);
    // Both choose a caller id before either one saves its choice.
    const release = await heldBy(world, sql`lock table caller_id_uses in share mode`);
    const dialing = world.engine.run(first);
    await world.untilBlocked('worker');
    const engine = world.openEngine('other');
    const dialingToo = engine.run(second);
    await world.untilBlocked('other');
    await release();
    await Promise.all([dialing, dialingToo]);
    const dialed = (await world.calls()).filter((call) => call.gated_at);
    assert.equal(dialed.length, 1, 'a caller id was called from more often than it may');
  },
};

export const retirementWaitsForGates: Scenario = {
  name: 'a caller id is retired while a gate that calls from it has not committed',
  promise: 'no dial after no',
  async run(world) {
    await world.campaign({ numbers: [blocker] });
    for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
    const { id: organizationId } = world.organization;
    const callerId = await withCallerId(world, 10);
    await world.campaign({ numbers: [before] });
    const jobs = world.jobs.take('advance-campaign');
    // An open transaction changes another live call to this number, so the gate blocks on the unique index when it inserts its call.
    const release = await heldBy(
      world,
      sql`update calls set phone_number = ${before} where phone_number = ${blocker}`,
    );
    const deciding = Promise.all(jobs.map((job) => world.engine.run(job)));
    await world.untilBlocked('worker');
    const retirer = world.openEngine('retirer');
    let isRetired = false;
    const change = { state: { state: 'retired' as const, reason: null, restingUntil: null } };
    const retiring = inTransaction(retirer.db, (tx) =>
      updateCallerId(tx, { organizationId, callerId, change, now: new Date('2027-03-01T12:00:00Z') }),
    ).then(() => (isRetired = true));
    await Promise.race([retiring, world.untilBlocked('retirer')]);
    const wasEarly = isRetired;
    await release();
    await Promise.all([deciding, retiring]);
    assert.ok(!wasEarly, 'a caller id was retired while a gate was open that calls from it');
  },
};
