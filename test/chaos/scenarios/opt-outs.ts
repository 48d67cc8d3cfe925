import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { runAdvances } from './open-gate.ts';
import type { Scenario } from './scenario.ts';
import { timeGoesBy } from './time.ts';

const before = '+15551000001';

export const optOutOnACall: Scenario = {
  name: 'a person opts out on a call while the number is due in another campaign, and the outcome of the call allows a call-back',
  promise: 'no dial after no',
  async run(world) {
    // The call-back is due in an hour, so its gate does not decide before then.
    const config = { call_back_attempts: 3, retry_delay_seconds: 3600 };
    await world.campaign({ numbers: [before], config });
    await runAdvances(world);
    const [call] = await world.calls();
    assert.ok(call);
    await world.campaign({ numbers: [before], config });
    assert.equal(await world.event(call.id, 'call.opt_out', { by: 'speech' }), 200);
    const { rows } = await sql`select from suppressions where phone_number = ${before}`.execute(world.db);
    assert.equal(rows.length, 1, 'an opt-out was answered, but is not on the suppression list');
    await world.event(call.id, 'call.ended', { outcome: 'no_answer' });
    await runAdvances(world);
    await timeGoesBy(world, 30);
    assert.equal((await world.calls()).length, 1, 'a person was called after an opt-out');
    const states = (await world.recipients()).map((one) => one.state);
    assert.deepEqual(states, ['suppressed', 'suppressed']);
  },
};
