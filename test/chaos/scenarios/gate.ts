import assert from 'node:assert/strict';
import { addSuppressions, pauseCampaign, saveAbandonment } from '@outdial/db';
import { setCampaignConfig } from '@outdial/engine';
import { sql } from 'kysely';
import { allowOnlyAmerica } from './allow-only-america.ts';
import { dialingSettings } from './engine.ts';
import { heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { firstNumber, type ScenarioWorld } from './world.ts';

/** Holds the row that an advance locks after it has chosen whom to dial, and before the gate. */
const holdTheGate = (world: ScenarioWorld, campaignId: string) =>
  heldBy(world, sql`select from campaign_runtime where campaign_id = ${campaignId} for update`);

/** Dials one of two numbers, so that the worker remembers the agent and its limits, as it does for a second. */
async function remember(world: ScenarioWorld, campaignId: string): Promise<void> {
  assert.equal((await world.engine.dial(campaignId, 1)).length, 1);
}

const twoNumbers = { numbers: ['+15551000001', '+442079460958'] };

export const windowCloses: Scenario = {
  name: 'the window closes after a recipient was chosen and before the gate',
  promise: 'no dial outside the window',
  async run(world) {
    await world.clock.stop();
    const closing = await windowedCampaign(world);
    const release = await holdTheGate(world, closing);
    const dialing = world.engine.dial(closing);
    await world.untilBlocked('worker');
    // Later than 12:00:30.
    await world.clock.advance(7_000);
    await release();
    assert.deepEqual(await dialing, [], 'the recipient was dialed after its window had closed');
    assert.equal((await world.recipients())[0]?.state, 'pending');
    await world.countersAgree();
  },
};

/** A window until 12:00:30, read at 12:00:25. */
async function windowedCampaign(world: ScenarioWorld): Promise<string> {
  const { admin } = world.organization.clients;
  await world.clock.set('2027-03-01T12:00:25Z');
  const { id } = await admin.createCampaign({
    name: 'closing',
    agent_id: world.organization.agentId,
    phone_numbers: ['+15551000077'],
    start_date: '2027-01-01T00:00:00Z',
    start_time: '08:00',
    end_time: '12:00:30',
  });
  await admin.setStatus(id, 'running');
  return id;
}

export const configChange: Scenario = {
  name: 'a config that forbids dialing today is committed while a campaign is dialed',
  promise: 'no dial after a pause, a cancel or a change',
  // A Saturday.
  options: { startAt: '2027-03-06T12:00:00Z' },
  async run(world) {
    const campaignId = await world.campaign(twoNumbers);
    await remember(world, campaignId);
    await world.organization.clients.admin.setConfig(campaignId, { call_on_weekend: false });
    assert.deepEqual(await world.engine.dial(campaignId), []);
    assert.deepEqual((await world.recipients()).map((one) => one.state).toSorted(), ['dialing', 'pending']);
  },
};

export const changeWaitsForGates: Scenario = {
  name: 'a change is committed while a dial is open',
  promise: 'no dial after a pause, a cancel or a change',
  options: { startAt: '2027-03-06T12:00:00Z' },
  async run(world) {
    const campaignId = await world.campaign();
    const changer = world.openEngine('changer');
    const release = await holdTheGate(world, campaignId);
    const dialing = world.engine.dial(campaignId);
    await world.untilBlocked('worker');
    let changed = false;
    const changing = setCampaignConfig(
      { db: changer.db, publisher: world.jobs, log: world.control.log },
      { organizationId: world.organization.id, campaignId, body: { call_on_weekend: false } },
    ).then(() => (changed = true));
    await Promise.race([changing, world.untilBlocked('changer')]);
    const changedWhileOpen = changed;
    await release();
    await Promise.all([dialing, changing]);
    const { rows } = await sql<{
      at: Date;
    }>`select updated_at as at from campaigns where id = ${campaignId}`.execute(world.db);
    const [call] = await world.calls();
    assert.ok(!changedWhileOpen, 'the change did not wait for the dial');
    assert.ok(!call?.gated_at || !rows[0] || call.gated_at <= rows[0].at, 'a gate opened after the change');
  },
};

export const agentRefusedMeanwhile: Scenario = {
  name: "the provider refuses the agent's calls after recipients were chosen and before the gate",
  promise: 'campaigns wait for a provider that fails',
  async run(world) {
    const campaignId = await world.campaign(twoNumbers);
    const release = await holdTheGate(world, campaignId);
    const refused = pauseCampaign(world.openEngine('refused').db, {
      campaignId,
      error: 'correct the agent',
      forMs: 30_000,
    });
    await world.untilBlocked('refused');
    const dialing = world.engine.dial(campaignId);
    await world.untilBlocked('worker');
    await release();
    await refused;
    assert.deepEqual(await dialing, [], 'a recipient was dialed although the provider refuses the agent');
    const { rows } = await sql`
      select waiting_for, last_error, failures, retry_at is not null and wake_at = retry_at as waits
      from campaign_runtime where campaign_id = ${campaignId}`.execute(world.db);
    assert.deepEqual(rows, [
      { waiting_for: 'provider', last_error: 'correct the agent', failures: 1, waits: true },
    ]);
    await world.countersAgree();
  },
};

export const slowedMeanwhile: Scenario = {
  name: 'a campaign is slowed down after recipients were chosen and before the gate',
  promise: 'a campaign that abandons calls slows down',
  async run(world) {
    const campaignId = await world.campaign({ ...twoNumbers, config: { max_concurrent_calls: 2 } });
    const release = await holdTheGate(world, campaignId);
    const slowing = saveAbandonment(world.openEngine('slows').db, {
      campaignId,
      abandonment: { share: 1, calls: 1_000 },
    });
    await world.untilBlocked('slows');
    const dialing = world.engine.dial(campaignId);
    await world.untilBlocked('worker');
    await release();
    await slowing;
    assert.equal((await dialing).length, 1, 'a campaign dialed as fast as before it was slowed down');
    await world.countersAgree();
  },
};

export const agentRefusedAtTheEnd: Scenario = {
  name: "the provider refuses the agent's calls while the campaign is canceled",
  promise: 'no recipient of a final campaign waits',
  async run(world) {
    const campaignId = await world.campaign();
    const release = await holdTheGate(world, campaignId);
    const canceling = world.organization.clients.admin.setStatus(campaignId, 'canceled');
    await world.untilBlocked('scenario');
    const refused = pauseCampaign(world.openEngine('refused').db, {
      campaignId,
      error: 'correct the agent',
      forMs: 30_000,
    });
    await world.untilBlocked('refused');
    await release();
    await Promise.all([canceling, refused]);
    const { rows } = await sql`
      select wake_at, waiting_for, retry_at from campaign_runtime where campaign_id = ${campaignId}`.execute(
      world.db,
    );
    assert.deepEqual(rows, [{ wake_at: null, waiting_for: null, retry_at: null }]);
  },
};

export const suppressedMeanwhile: Scenario = {
  name: 'a number is suppressed while it is due',
  promise: 'suppressed numbers are never dialed',
  async run(world) {
    await world.campaign();
    await addSuppressions(world.db, {
      organizationId: world.organization.id,
      suppressions: [{ phoneNumber: firstNumber, reason: null }],
    });
    await world.engine.settle();
    assert.equal(world.gateway.calls.size, 0);
    assert.equal((await world.recipients())[0]?.state, 'suppressed');
  },
};

export const limitedBeforeTheGate: Scenario = {
  name: 'a country is no longer allowed, and the worker remembers the limits of before',
  promise: 'no dial after no',
  async run(world) {
    const campaignId = await world.campaign(twoNumbers);
    await remember(world, campaignId);
    await allowOnlyAmerica(world);
    assert.deepEqual(await world.engine.dial(campaignId), []);
    const british = (await world.recipients()).find((one) => one.phone_number.startsWith('+44'));
    assert.deepEqual([british?.state, british?.attempts], ['suppressed', 0]);
    await world.countersAgree();
  },
};

export const numberInTwoCampaigns: Scenario = {
  name: 'two campaigns of an organization dial one number at the same time, and one of them another number',
  promise: 'no number in two live calls',
  async run(world) {
    await world.campaign();
    const second = await world.campaign({ numbers: [firstNumber, '+15551000001'] });
    const [one, two] = world.jobs.take();
    assert.ok(one && two);
    // The foreign key check of a new call waits for this lock, so both gates decide before either one sees the other's call.
    const release = await heldBy(world, sql`select from agent_prompts for update`);
    const first = world.openEngine('one').run(one);
    await world.untilBlocked('one');
    const other = world.openEngine('two').run(two);
    await world.untilBlocked('two');
    await release();
    await Promise.all([first, other]);
    const called = world.accepted().filter((call) => call.toPhone === firstNumber);
    assert.equal(called.length, 1);
    const { rows } = await sql<{ failures: number }>`
      select failures from campaign_runtime where campaign_id = ${second}`.execute(world.db);
    assert.deepEqual(rows, [{ failures: 0 }], 'a number in another call failed the campaign');
    assert.equal(world.accepted().length, 2, 'a number in another call kept others from being dialed');
    await world.countersAgree();
  },
};

export const slowAnswerOfTheGate: Scenario = {
  name: 'a worker stalls between the commit of a batch and its sends',
  promise: 'one attempt, one call',
  async run(world) {
    const campaignId = await world.campaign(twoNumbers);
    const calls = await world.engine.dial(campaignId);
    assert.equal(calls.length, 2);
    world.engine.deps.settings = dialingSettings;
    // Longer than a send may begin after its gate (engine/timing.ts, sendStartMs).
    await new Promise((resolve) => setTimeout(resolve, 2_300));
    const sent = await Promise.all(calls.map((call) => world.engine.send(call)));
    assert.deepEqual(sent, ['too_late', 'too_late']);
    assert.equal(world.gateway.calls.size, 0);
    // The calls were never sent, so the attempts are undone without a look-up.
    for (const recipient of await world.recipients()) {
      assert.deepEqual([recipient.state, recipient.attempts], ['pending', 0]);
    }
    assert.deepEqual(await world.calls(), []);
    await world.countersAgree();
  },
};
