import assert from 'node:assert/strict';
import { addSuppressions } from '@outdial/db';
import { releaseExpiredClaims, setCampaignConfig } from '@outdial/engine';
import { sql } from 'kysely';
import type { Scenario } from './scenario.ts';
import { allowOnlyAmerica } from './allow-only-america.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { firstNumber, type ScenarioWorld } from './world.ts';

/** The jobs of one advance; the claims are in the database. */
async function claimed(world: ScenarioWorld) {
  for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
  return world.jobs.take('place-call');
}

/** Makes the engine cache the campaign's current context, as it does for a second after each call. */
async function remember(world: ScenarioWorld, campaignId: string): Promise<void> {
  assert.ok(await world.engine.deps.contexts.get(campaignId));
}

export const staleClaim: Scenario = {
  name: 'a suspended worker resumes after another one has claimed its recipient',
  promise: 'one attempt, one call',
  async run(world) {
    await world.campaign();
    const [late] = await claimed(world);
    assert.ok(late);
    await world.clock.advance(11_000);
    assert.equal((await releaseExpiredClaims(world.control)).done, 1);
    const [second] = await claimed(world);
    assert.ok(second);
    assert.notEqual(late.payload['claim_id'], second.payload['claim_id']);
    // The suspended worker continues first.
    assert.deepEqual(await world.engine.run(late), { kind: 'stale' });
    await world.engine.run(second);
    assert.deepEqual(
      world.accepted().map((call) => call.callId),
      [second.payload['claim_id']],
    );
  },
};

export const jobTwice: Scenario = {
  name: 'a job is delivered twice, at once and later',
  promise: 'one attempt, one call',
  async run(world) {
    await world.campaign();
    const [job] = await claimed(world);
    assert.ok(job);
    const other = world.openEngine('other');
    await Promise.all([world.engine.run(job), other.run(job)]);
    await other.run(job);
    assert.equal(world.accepted().length, 1);
    assert.equal(world.gateway.calls.size, 1);
  },
};

export const windowCloses: Scenario = {
  name: 'the window closes between claim and gate, and the worker has an older context',
  promise: 'no dial outside the window',
  async run(world) {
    const campaignId = await world.campaign();
    await world.engine.settle();
    const [first] = world.accepted();
    assert.ok(first);
    world.gateway.end(first.callId, 'busy');
    const closing = await windowedCampaign(world);
    const [job] = await claimed(world);
    assert.ok(job);
    await remember(world, closing);
    await remember(world, campaignId);
    // Later than 12:00:30; the lease of ten seconds from 12:00:25 has not expired.
    await world.clock.advance(7_000);
    await world.engine.run(job);
    assert.equal(world.accepted().length, 1, 'the recipient was dialed after its window had closed');
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
  name: 'a config that forbids dialing today is committed while a worker has the old one cached',
  promise: 'no dial after a pause, a cancel or a change',
  // A Saturday.
  options: { startAt: '2027-03-06T12:00:00Z' },
  async run(world) {
    const campaignId = await world.campaign();
    const [job] = await claimed(world);
    assert.ok(job);
    await remember(world, campaignId);
    await world.organization.clients.admin.setConfig(campaignId, { call_on_weekend: false });
    await world.engine.run(job);
    assert.equal(world.gateway.calls.size, 0);
    assert.equal((await world.recipients())[0]?.state, 'pending');
  },
};

export const rememberedTerms: Scenario = {
  name: 'a config requires consent, and a worker with the old terms cached gets the next claim',
  promise: 'no dial after a pause, a cancel or a change',
  async run(world) {
    const campaignId = await world.campaign();
    await remember(world, campaignId);
    await world.organization.clients.admin.setConfig(campaignId, { require_consent: true });
    const [job] = await claimed(world);
    assert.ok(job);
    await world.engine.run(job);
    assert.equal(world.gateway.calls.size, 0);
  },
};

export const changeWaitsForGates: Scenario = {
  name: 'a change is committed while a gate is open',
  promise: 'no dial after a pause, a cancel or a change',
  options: { startAt: '2027-03-06T12:00:00Z' },
  async run(world) {
    const campaignId = await world.campaign();
    const [job] = await claimed(world);
    assert.ok(job);
    await remember(world, campaignId);
    const changer = world.openEngine('changer');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    // Another transaction holds the recipient's row, so that the gate blocks between its two locks.
    const held = Promise.withResolvers<void>();
    const holding = world.db.transaction().execute(async (tx) => {
      await sql`select from campaign_recipients where campaign_id = ${campaignId} for update`.execute(tx);
      held.resolve();
      await released;
    });
    await held.promise;
    const placing = world.engine.run(job);
    await world.untilBlocked('worker');
    let changed = false;
    const changing = setCampaignConfig(
      { db: changer.db, publisher: world.jobs, log: world.control.log },
      { organizationId: world.organization.id, campaignId, changes: { callOnWeekend: false } },
    ).then(() => (changed = true));
    await Promise.race([changing, world.untilBlocked('changer')]);
    const changedWhileOpen = changed;
    release();
    await Promise.all([holding, placing, changing]);
    const { rows } = await sql<{
      at: Date;
    }>`select updated_at as at from campaigns where id = ${campaignId}`.execute(world.db);
    const [call] = await world.calls();
    assert.ok(!changedWhileOpen, 'the change did not wait for the gate');
    assert.ok(!call?.gated_at || !rows[0] || call.gated_at <= rows[0].at, 'a gate opened after the change');
  },
};

export const leaseRunsOut: Scenario = {
  name: 'a lease expires before the gate, and no sweep has released the claim yet',
  promise: 'one attempt, one call',
  async run(world) {
    await world.campaign();
    const [job] = await claimed(world);
    assert.ok(job);
    await world.clock.advance(11_000);
    await world.engine.run(job);
    assert.equal(world.gateway.calls.size, 0);
    await world.countersAgree();
  },
};

export const suppressedMeanwhile: Scenario = {
  name: 'a number is suppressed between claim and gate',
  promise: 'suppressed numbers are never dialed',
  async run(world) {
    await world.campaign();
    const [job] = await claimed(world);
    assert.ok(job);
    await addSuppressions(world.db, {
      organizationId: world.organization.id,
      suppressions: [{ phoneNumber: firstNumber, reason: null }],
    });
    await world.engine.run(job);
    assert.equal(world.gateway.calls.size, 0);
    assert.equal((await world.recipients())[0]?.state, 'suppressed');
  },
};

export const limitedBeforeTheGate: Scenario = {
  name: 'a country is no longer allowed between claim and gate, and the worker remembers the limits of before',
  promise: 'no dial after no',
  async run(world) {
    const campaignId = await world.campaign({ numbers: ['+442079460958'] });
    const [job] = await claimed(world);
    assert.ok(job);
    await remember(world, campaignId);
    await allowOnlyAmerica(world);
    await world.engine.run(job);
    assert.equal(world.gateway.calls.size, 0);
    const [recipient] = await world.recipients();
    assert.deepEqual([recipient?.state, recipient?.attempts], ['suppressed', 0]);
    await world.countersAgree();
  },
};

export const numberInTwoCampaigns: Scenario = {
  name: 'two campaigns of an organization dial one number at the same time',
  promise: 'no number in two live calls',
  async run(world) {
    await world.campaign();
    await world.campaign();
    const [one, two] = await claimed(world);
    assert.ok(one && two);
    // The foreign key check of a new call waits for this lock, so both gates decide before either one sees the other's call.
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = world.db.transaction().execute(async (tx) => {
      await sql`select from agent_prompts for update`.execute(tx);
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const first = world.openEngine('one').run(one);
    await world.untilBlocked('one');
    const second = world.openEngine('two').run(two);
    await world.untilBlocked('two');
    released.resolve();
    await Promise.all([holding, first, second]);
    assert.equal(world.accepted().length, 1);
    await world.countersAgree();
  },
};

export const slowAnswerOfTheGate: Scenario = {
  name: "a gate's answer reaches the worker so late that the call is already due for a look-up",
  promise: 'one attempt, one call',
  async run(world) {
    const campaignId = await world.campaign();
    const proxy = await startCuttingProxy(world.databaseUrl);
    world.onClose(() => proxy.close());
    const slow = world.openEngine('slow', proxy.url);
    const [job] = await claimed(world);
    assert.ok(job);
    assert.ok(await slow.deps.contexts.get(campaignId));
    proxy.mode = 'hold';
    const placing = slow.run(job);
    // Longer than a send may begin after its gate (engine/timing.ts, sendStartMs).
    await new Promise((resolve) => setTimeout(resolve, 2_300));
    proxy.release();
    assert.deepEqual(await placing, { kind: 'sent', sent: 'too_late' });
    assert.equal(world.gateway.calls.size, 0);
    // The call was never sent, so the attempt is undone without a look-up.
    const [recipient] = await world.recipients();
    assert.deepEqual([recipient?.state, recipient?.attempts], ['pending', 0]);
    assert.deepEqual(await world.calls(), []);
    await world.countersAgree();
  },
};
