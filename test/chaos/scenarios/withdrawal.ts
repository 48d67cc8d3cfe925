import assert from 'node:assert/strict';
import { withdrawQueuedCalls } from '@outdial/engine';
import { outboxFaults } from '../../support/outbox-faults.ts';
import type { CancelCourse } from '../../support/twilio/stand-in.ts';
import { allowOnlyAmerica } from './allow-only-america.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { endCalls } from './end-calls.ts';
import type { Scenario } from './scenario.ts';
import { timeGoesBy } from './time.ts';
import { firstNumber, type ScenarioWorld } from './world.ts';

/** A campaign whose call is queued at Twilio. */
async function queuedCampaign(world: ScenarioWorld, numbers = [firstNumber]): Promise<string> {
  const campaignId = await world.campaign({ numbers });
  await world.engine.settle();
  assert.deepEqual(statusesAtTwilio(world), ['queued']);
  await world.untilAccepted();
  return campaignId;
}

/** Pauses a campaign while its call is queued at Twilio. `decide` handles the request to cancel that call. */
async function pausedWhileQueued(world: ScenarioWorld, decide: () => CancelCourse): Promise<string> {
  const campaignId = await queuedCampaign(world);
  await world.organization.clients.manager.setStatus(campaignId, 'paused');
  world.twilio.atNextCancel(decide);
  return campaignId;
}

/** Twilio withdraws the call of a paused campaign, and the worker dies before it records that. */
async function diesAfterWithdrawal(world: ScenarioWorld): Promise<string> {
  const proxy = await startCuttingProxy(world.databaseUrl);
  world.onClose(() => proxy.close());
  const dying = world.openEngine('dying', proxy.url);
  const campaignId = await pausedWhileQueued(world, () => {
    proxy.mode = 'cut';
    return 'answer';
  });
  await assert.rejects(withdrawQueuedCalls(dying.deps));
  return campaignId;
}

/** Resumes the campaign, lets Twilio dial, and makes all postponed work due. */
async function resume(world: ScenarioWorld, campaignId: string): Promise<void> {
  world.twilio.setPace(undefined);
  await world.organization.clients.manager.setStatus(campaignId, 'running');
  await timeGoesBy(world, 20);
  // A call that another party seems to have canceled is not dialed again at once (engine/repair/withdraw-call.ts).
  await world.clock.advance(60_000);
  await timeGoesBy(world, 5);
}

const statusesAtTwilio = (world: ScenarioWorld) =>
  [...world.twilio.calls.values()].map((call) => call.status);

async function assertNoAttemptUsed(world: ScenarioWorld, state = 'pending'): Promise<void> {
  assert.deepEqual(await world.calls(), []);
  const [recipient] = await world.recipients();
  assert.deepEqual([recipient?.state, recipient?.attempts], [state, 0]);
  assert.deepEqual(await outboxFaults(world.db), []);
  await world.countersAgree();
}

async function assertDialedOnce(world: ScenarioWorld): Promise<void> {
  const dialed = [...world.twilio.calls.values()].filter((call) => call.startTime !== null);
  assert.deepEqual(
    dialed.map((call) => call.form.get('To')),
    [firstNumber],
    'not exactly one call was dialed',
  );
  const rows = await world.calls();
  assert.deepEqual(
    rows.map((row) => row.attempt),
    [1],
  );
  const [recipient] = await world.recipients();
  assert.equal(recipient?.attempts, 1);
  assert.deepEqual(await outboxFaults(world.db), []);
  await world.countersAgree();
}

export const withdrawnAfterCorrection: Scenario = {
  name: 'Twilio withdraws a call after the one before it turned out to have reached its recipient',
  promise: 'what is told is what happened',
  options: { carrier: 'twilio' },
  async run(world) {
    const campaignId = await world.campaign({ config: { call_back_attempts: 1, retry_on: ['unknown'] } });
    await world.engine.settle();
    const [first] = await world.calls();
    assert.ok(first);
    await endCalls(world.engine, [first.id], 'unknown');
    await timeGoesBy(world, 2);
    assert.deepEqual(statusesAtTwilio(world), ['queued', 'queued']);
    await world.untilAccepted();
    await endCalls(world.engine, [first.id], 'completed');
    await world.organization.clients.manager.setStatus(campaignId, 'paused');
    await withdrawQueuedCalls(world.engine.deps);
    assert.deepEqual(statusesAtTwilio(world), ['queued', 'canceled']);
    const [recipient] = await world.recipients();
    assert.deepEqual([recipient?.state, recipient?.attempts], ['done', 1]);
    assert.deepEqual(await outboxFaults(world.db), []);
    await world.countersAgree();
  },
};

export const withdrawalNotWrittenDown: Scenario = {
  name: 'Twilio withdraws a call, and the worker dies before it records that',
  promise: 'a call that was never dialed uses no attempt',
  options: { carrier: 'twilio' },
  async run(world) {
    await diesAfterWithdrawal(world);
    assert.deepEqual(statusesAtTwilio(world), ['canceled']);
    assert.equal((await world.calls())[0]?.phase, 'placing');
    // The next round of another worker.
    await withdrawQueuedCalls(world.engine.deps);
    await assertNoAttemptUsed(world);
  },
};

export const resumedBeforeWrittenDown: Scenario = {
  name: 'Twilio withdraws a call, the worker dies before it records that, and the campaign resumes',
  promise: 'one attempt, one call',
  options: { carrier: 'twilio' },
  async run(world) {
    const campaignId = await diesAfterWithdrawal(world);
    world.jobs.take();
    await resume(world, campaignId);
    await assertDialedOnce(world);
  },
};

export const withdrawalAnswerLost: Scenario = {
  name: 'Twilio withdraws a call, and its answer is lost',
  promise: 'a call that was never dialed uses no attempt',
  options: { carrier: 'twilio' },
  async run(world) {
    const campaignId = await pausedWhileQueued(world, () => 'drop_after');
    await withdrawQueuedCalls(world.engine.deps);
    assert.deepEqual(statusesAtTwilio(world), ['canceled']);
    assert.equal((await world.calls())[0]?.phase, 'placing', 'the attempt was undone without confirmation');
    await timeGoesBy(world, 15);
    await assertNoAttemptUsed(world);
    await resume(world, campaignId);
    await assertDialedOnce(world);
  },
};

export const withdrawalNeverArrived: Scenario = {
  name: 'the request to withdraw a call never reaches Twilio, and the campaign resumes',
  promise: 'one attempt, one call',
  options: { carrier: 'twilio' },
  async run(world) {
    const campaignId = await pausedWhileQueued(world, () => 'drop_before');
    await withdrawQueuedCalls(world.engine.deps);
    assert.deepEqual(statusesAtTwilio(world), ['queued']);
    await resume(world, campaignId);
    await assertDialedOnce(world);
  },
};

export const withdrawnWhileQueued: Scenario = {
  name: 'a recipient is withdrawn while its call waits at Twilio',
  promise: 'no dial after no',
  options: { carrier: 'twilio' },
  async run(world) {
    const campaignId = await queuedCampaign(world);
    const [recipient] = await world.recipients();
    const { manager } = world.organization.clients;
    await manager.withdrawRecipient(campaignId, recipient?.id ?? '', { hangUp: false });
    const checks = world.jobs.take('check-call');
    assert.equal(checks.length, 1, 'the call is not checked at once');
    for (const check of checks) await world.engine.run(check);
    assert.deepEqual(statusesAtTwilio(world), ['canceled']);
    world.twilio.setPace(undefined);
    await timeGoesBy(world, 20);
    await assertNoAttemptUsed(world, 'withdrawn');
  },
};

export const limitedWhileQueued: Scenario = {
  name: 'a country is no longer allowed while a call waits at Twilio',
  promise: 'no dial after no',
  options: { carrier: 'twilio' },
  async run(world) {
    await queuedCampaign(world, ['+442079460958']);
    await allowOnlyAmerica(world);
    await withdrawQueuedCalls(world.engine.deps);
    assert.deepEqual(statusesAtTwilio(world), ['canceled']);
    world.twilio.setPace(undefined);
    await timeGoesBy(world, 20);
    await assertNoAttemptUsed(world, 'suppressed');
  },
};
