import assert from 'node:assert/strict';
import { inTransaction, suppressEverywhere } from '@outdial/db';
import { sql } from 'kysely';
import { heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { timeGoesBy } from './time.ts';
import type { ScenarioWorld } from './world.ts';

const [blocker, before] = ['+15551000000', '+15551000001'] as const;

async function place(world: ScenarioWorld): Promise<void> {
  for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
}

export const optOutOnACall: Scenario = {
  name: 'a person opts out on a call while the number is due in another campaign, and the outcome of the call allows a call-back',
  promise: 'no dial after no',
  async run(world) {
    // The call-back is due in an hour, so its gate does not decide before then.
    const config = { call_back_attempts: 3, retry_delay_seconds: 3600 };
    await world.campaign({ numbers: [before], config });
    await place(world);
    const [call] = await world.calls();
    assert.ok(call);
    await world.campaign({ numbers: [before], config });
    assert.equal(await world.event(call.id, 'call.opt_out', { by: 'speech' }), 200);
    const { rows } = await sql`select from suppressions where phone_number = ${before}`.execute(world.db);
    assert.equal(rows.length, 1, 'an opt-out was answered, but is not on the suppression list');
    await world.event(call.id, 'call.ended', { outcome: 'no_answer' });
    await place(world);
    await timeGoesBy(world, 30);
    assert.equal((await world.calls()).length, 1, 'a person was called after an opt-out');
    const states = (await world.recipients()).map((one) => one.state);
    assert.deepEqual(states, ['suppressed', 'suppressed']);
  },
};

export const everywhereWaitsForGates: Scenario = {
  name: 'a number is suppressed for the whole installation while a gate that has passed it is not committed',
  promise: 'no dial after no',
  async run(world) {
    await world.campaign({ numbers: [blocker] });
    await place(world);
    await world.campaign({ numbers: [before] });
    const jobs = world.jobs.take('advance-campaign');
    const release = await heldBy(
      world,
      sql`update calls set phone_number = ${before} where phone_number = ${blocker}`,
    );
    const deciding = Promise.all(jobs.map((job) => world.engine.run(job)));
    await world.untilBlocked('worker');
    const operator = world.openEngine('operator');
    let isSuppressed = false;
    const suppressing = inTransaction(operator.db, (tx) =>
      suppressEverywhere(tx, [{ phoneNumber: before, reason: null }]),
    ).then(() => (isSuppressed = true));
    await Promise.race([suppressing, world.untilBlocked('operator')]);
    const wasEarly = isSuppressed;
    await release();
    await Promise.all([deciding, suppressing]);
    assert.ok(
      !wasEarly,
      'a number was suppressed everywhere before an open gate that has passed it committed',
    );
  },
};
