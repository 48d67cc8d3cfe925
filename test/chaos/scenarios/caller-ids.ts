import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { heldBy } from './held-by.ts';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';
import type { Scenario } from './scenario.ts';

const [before, other] = ['+15551000001', '+15551000002'] as const;

export const callerIdsMeetDials: Scenario = {
  name: 'two campaigns dial at once, and the caller ids have one call left',
  promise: 'no caller id makes more calls than it may',
  async run(world) {
    await addConfirmedCallerId(world.db, world.organization.id, { calls_per_day: 1 });
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
    // None, if the machine stood still between a gate and its send, which then was too late and is undone.
    assert.ok(dialed.length <= 1, 'a caller id was called from more often than it may');
  },
};
