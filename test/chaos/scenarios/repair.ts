import assert from 'node:assert/strict';
import { checkCallJob } from '@outdial/contracts';
import { engineNow, setProvider } from '@outdial/db';
import { sql } from 'kysely';
import { firstPost } from '../gateway/behaviour.ts';
import type { Scenario } from './scenario.ts';
import { allowOnlyAmerica } from './allow-only-america.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { timeGoesBy } from './time.ts';
import { firstNumber, numbersOf, type ScenarioWorld } from './world.ts';

export const unsentBatch: Scenario = {
  name: 'a batch is committed, and the worker dies before it sends any of it',
  promise: 'no recipient is forgotten',
  async run(world) {
    const campaignId = await world.campaign({
      numbers: numbersOf(20),
      config: { max_concurrent_calls: 20 },
    });
    world.jobs.take();
    const dialed = await world.engine.dial(campaignId);
    assert.equal(dialed.length, 20);
    await timeGoesBy(world, 15);
    const ids = dialed.map((call) => call.pass.callId).toSorted();
    const accepted = world.accepted().map((call) => call.callId);
    assert.deepEqual(accepted.toSorted(), ids, 'a call was not sent, or under another id');
    assert.ok((await world.recipients()).every((one) => one.state === 'dialing' && one.attempts === 1));
    await world.countersAgree();
  },
};

export const unsentBatchWithoutIdempotency: Scenario = {
  name: 'a batch is committed, and the worker dies before it sends it to a provider without idempotency',
  promise: 'one attempt, one call',
  options: { carrier: 'twilio' },
  async run(world) {
    const campaignId = await world.campaign({
      numbers: numbersOf(3),
      config: { max_concurrent_calls: 3 },
    });
    world.jobs.take();
    assert.equal((await world.engine.dial(campaignId)).length, 3);
    await timeGoesBy(world, 60);
    // Nobody can tell whether they were called, so they are not called again.
    assert.equal(world.twilio.calls.size, 0);
    assert.deepEqual(
      (await world.calls()).map((call) => call.outcome),
      ['unknown', 'unknown', 'unknown'],
    );
    await world.countersAgree();
  },
};

/** A worker that loses its database connection at the commit of a dial, and dies. */
async function gateWithoutAnswer(world: ScenarioWorld): Promise<void> {
  const campaignId = await world.campaign({ numbers: [firstNumber, '+15551000001'] });
  world.jobs.take();
  const proxy = await startCuttingProxy(world.databaseUrl);
  world.onClose(() => proxy.close());
  const dying = world.openEngine('dying', proxy.url);
  // The first dial opens the connection and saves the grounds of the windows, so that the second one writes nothing before its commit.
  const [first] = await dying.dial(campaignId, 1);
  assert.ok(first);
  await world.engine.send(first);
  proxy.mode = 'cut commit';
  await assert.rejects(dying.dial(campaignId, 1));
}

export const commitAnswerLost: Scenario = {
  name: 'a dial commits, its answer is lost, and the worker dies before the send',
  promise: 'no recipient is forgotten',
  async run(world) {
    await gateWithoutAnswer(world);
    assert.equal((await world.calls()).length, 2);
    assert.equal(world.gateway.calls.size, 1);
    await timeGoesBy(world, 15);
    assert.deepEqual(
      world
        .accepted()
        .map((call) => call.callId)
        .toSorted(),
      (await world.calls()).map((row) => row.id).toSorted(),
    );
    assert.equal((await world.calls()).length, 2);
    await world.countersAgree();
  },
};

export const droppedAfterAccepting: Scenario = {
  name: 'the gateway accepts, and the connection breaks before its answer',
  promise: 'one attempt, one call',
  async run(world) {
    world.gateway.behaviour = firstPost({ kind: 'drop', accepts: true });
    await world.campaign();
    await world.engine.settle();
    await timeGoesBy(world, 15);
    const [row] = await world.calls();
    assert.ok(row?.accepted_at);
    assert.deepEqual(
      world.accepted().map((call) => call.callId),
      [row.id],
    );
    assert.equal(
      world.gateway.calls.get(row.id)?.posts.length,
      1,
      'the look-up found the call, but it was sent again',
    );
  },
};

export const droppedBeforeAccepting: Scenario = {
  name: 'the connection breaks before the gateway accepts',
  promise: 'one attempt, one call',
  async run(world) {
    world.gateway.behaviour = firstPost({ kind: 'drop', accepts: false });
    await world.campaign();
    await world.engine.settle();
    await timeGoesBy(world, 15);
    const rows = await world.calls();
    assert.deepEqual(
      world.accepted().map((call) => call.callId),
      rows.filter((row) => row.accepted_at !== null).map((row) => row.id),
    );
    assert.equal(world.gateway.calls.size, 1, 'the same attempt was sent under two ids');
    assert.deepEqual([world.accepted().length, rows.length, rows[0]?.attempt], [1, 1, 1]);
  },
};

export const pausedBeforePlacingAgain: Scenario = {
  name: 'a campaign is paused before a send that never arrived is repeated',
  promise: 'no dial after a pause, a cancel or a change',
  async run(world) {
    world.gateway.behaviour = firstPost({ kind: 'drop', accepts: false });
    const campaignId = await world.campaign();
    await world.engine.settle();
    await world.organization.clients.manager.setStatus(campaignId, 'paused');
    await timeGoesBy(world, 15);
    assert.equal(world.accepted().length, 0);
    assert.equal([...world.gateway.calls.values()][0]?.posts.length, 1);
    await world.countersAgree();
  },
};

export const limitedBeforePlacingAgain: Scenario = {
  name: 'a country is no longer allowed when a send that never arrived is repeated',
  promise: 'no dial after no',
  async run(world) {
    world.gateway.behaviour = firstPost({ kind: 'drop', accepts: false });
    await world.campaign({ numbers: ['+442079460958'] });
    await world.engine.settle();
    await allowOnlyAmerica(world);
    await timeGoesBy(world, 15);
    assert.equal(world.accepted().length, 0);
    assert.equal([...world.gateway.calls.values()][0]?.posts.length, 1);
    await world.countersAgree();
  },
};

/** Gives the provider a pace whose next gate may pass after this time. */
async function usePace(world: ScenarioWorld, callsPerSecond: number, nextInMs: number): Promise<void> {
  await setProvider(world.db, {
    name: 'gateway',
    changes: { callsPerSecond },
    now: await engineNow(world.db),
  });
  await sql`
    update providers set pace = jsonb_build_object('gates', '[]'::jsonb,
      'nextAtMs', extract(epoch from engine_now()) * 1000 + ${nextInMs}::float8)`.execute(world.db);
}

export const pacedWhenPlacedAgain: Scenario = {
  name: 'a send is repeated while others use the pace',
  promise: 'no recipient is forgotten',
  async run(world) {
    world.gateway.behaviour = firstPost({ kind: 'drop', accepts: false });
    await world.campaign();
    await world.engine.settle();
    const [call] = await world.calls();
    assert.ok(call);
    await world.clock.advance(13_000);
    await usePace(world, 5, 400);
    await world.engine.run({ job: checkCallJob.name, payload: { call_id: call.id } });
    assert.equal(world.accepted().length, 1, 'a pace delayed the call until its next look-up');
    assert.equal((await world.calls())[0]?.placed_again, 1);
    await world.countersAgree();
  },
};

export const noPaceToPlaceAgain: Scenario = {
  name: 'a send has to be repeated, and the pace of its provider has no room for a quarter of an hour',
  promise: 'no recipient is forgotten',
  async run(world) {
    world.gateway.behaviour = firstPost({ kind: 'drop', accepts: false });
    await world.campaign();
    await world.engine.settle();
    assert.equal((await world.calls()).length, 1);
    await usePace(world, 0.001, 1_000_000);
    // Each look-up waits a quarter of a minute for the pace.
    await world.clock.advance(12_000);
    await timeGoesBy(world, 3);
    assert.equal((await world.calls()).length, 1, 'the send could still arrive');
    // After six minutes it can no longer arrive.
    await world.clock.advance(6 * 60_000);
    await timeGoesBy(world, 2);
    assert.deepEqual(await world.calls(), [], 'a call that is never sent again holds its line');
    const recipient = (await world.recipients()).find((one) => one.phone_number === firstNumber);
    assert.deepEqual([recipient?.state, recipient?.attempts], ['pending', 0]);
    await world.countersAgree();
  },
};

export const backPressure: Scenario = {
  name: 'the gateway is busy for a whole batch, and says when to retry',
  promise: 'back-pressure burns no attempt',
  async run(world) {
    await world.clock.stop();
    world.gateway.behaviour = firstPost({ kind: 'defer', status: 429, retryAfterSeconds: 120 });
    const numbers = numbersOf(30);
    await world.campaign({ numbers, config: { max_concurrent_calls: 30 } });
    await world.engine.settle();
    assert.ok((await world.recipients()).every((one) => one.attempts === 0));
    assert.deepEqual(await world.calls(), []);
    await world.countersAgree();
    await timeGoesBy(world, 5);
    assert.equal(world.accepted().length, 0, 'a call was dialed before the time that the gateway named');
    await world.clock.advance(120_000);
    await timeGoesBy(world, 20);
    assert.deepEqual(
      (await world.recipients()).map((one) => `${one.state} ${one.attempts}`),
      numbers.map(() => 'dialing 1'),
    );
    await world.countersAgree();
  },
};

export const eventNeverComes: Scenario = {
  name: 'a call ends, and its event is lost',
  promise: 'no recipient is forgotten',
  async run(world) {
    await world.campaign();
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    world.gateway.end(call.callId, 'no_answer');
    // Ringing for 20 seconds, and 15 more until it is overdue (engine/progress/apply-reports.ts).
    await timeGoesBy(world, 45);
    const [row] = await world.calls();
    assert.deepEqual([row?.phase, row?.outcome], ['ended', 'no_answer']);
    await world.countersAgree();
  },
};

export const callWithoutEnd: Scenario = {
  name: 'a conversation never ends',
  promise: 'no call holds its line for ever',
  async run(world) {
    await world.campaign();
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    await world.event(call.callId, 'call.answered');
    await world.clock.advance(61_000);
    await timeGoesBy(world, 8);
    assert.ok(call.hungUp, 'the call was not hung up');
    assert.equal((await world.calls())[0]?.phase, 'ended');
    await world.countersAgree();
  },
};

/** Two people share one line, so the campaign must be advanced again after the first call. */
export const wakeUpLost: Scenario = {
  name: 'every job after a call is lost',
  promise: 'no recipient is forgotten',
  async run(world) {
    await world.campaign({ numbers: ['+15551000001', '+15551000002'], config: { max_concurrent_calls: 1 } });
    await world.engine.settle();
    const [first] = world.accepted();
    assert.ok(first);
    world.gateway.end(first.callId, 'completed');
    await world.event(first.callId, 'call.ended', { outcome: 'completed' });
    world.jobs.take();
    await timeGoesBy(world, 8);
    assert.equal(world.accepted().length, 2);
  },
};

export const strandedCampaign: Scenario = {
  name: 'a running campaign has no wake-up, whatever the reason',
  promise: 'no recipient is forgotten',
  async run(world) {
    const campaignId = await world.campaign();
    world.jobs.take();
    await sql`update campaign_runtime set wake_at = null where campaign_id = ${campaignId}`.execute(world.db);
    await timeGoesBy(world, 8);
    assert.equal(world.accepted().length, 1);
  },
};

export const circuitOpens: Scenario = {
  name: 'the gateway fails repeatedly, and recovers',
  promise: 'campaigns wait for a provider that fails',
  async run(world) {
    // The circuit is open for a second at first.
    await world.clock.stop();
    world.gateway.isDown = true;
    const campaignId = await world.campaign({
      numbers: numbersOf(30),
      config: { max_concurrent_calls: 5 },
    });
    await world.engine.settle();
    const { rows } = await sql<{
      closed: boolean;
    }>`select closed_until > engine_now() as closed from providers`.execute(world.db);
    assert.equal(rows[0]?.closed, true);
    assert.equal((await world.organization.clients.viewer.readCampaign(campaignId)).status, 'running');
    world.gateway.isDown = false;
    await timeGoesBy(world, 60);
    for (const call of world.accepted()) {
      await world.event(call.callId, 'call.ended', { outcome: 'completed' });
    }
    assert.ok(world.accepted().length >= 5, `${world.accepted().length} calls`);
  },
};
