import assert from 'node:assert/strict';
import type { Scenario } from './scenario.ts';
import { timeGoesBy } from './time.ts';
import { numbersOf } from './world.ts';

export const abandonmentSlowsDown: Scenario = {
  name: 'people answer and hear no voice, and the voice runtime reports each call twice',
  promise: 'a campaign that abandons calls slows down',
  async run(world) {
    const campaignId = await world.campaign({
      numbers: numbersOf(40),
      config: { max_concurrent_calls: 35 },
    });
    for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
    const calls = await world.calls();
    // On a busy machine a send may be late, and is undone.
    assert.ok(calls.length >= 30);
    for (const { id } of calls) {
      assert.equal(await world.event(id, 'call.answered'), 200);
      assert.equal(await world.event(id, 'call.abandoned'), 200);
    }
    // A second report of the same call does not count.
    assert.equal(await world.event(calls[0]?.id ?? '', 'call.connected'), 200);
    const counts = await world.db
      .selectFrom('campaign_voices')
      .select(['connected', 'abandoned'])
      .where('campaign_id', '=', campaignId)
      .execute();
    assert.deepEqual(
      counts,
      [{ connected: 0, abandoned: calls.length }],
      'abandoned calls are not counted once each',
    );
    await timeGoesBy(world, 1);
    for (const { id } of calls) await world.event(id, 'call.ended', { outcome: 'completed' });
    await timeGoesBy(world, 2);
    const live = (await world.calls()).filter((call) => call.phase !== 'ended');
    assert.equal(live.length, 1, 'a campaign that abandons every call was not slowed down');
  },
};
