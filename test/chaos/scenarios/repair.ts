import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { checkCallJob } from '@outdial/contracts';
import {
  claimDueRecipients,
  createPostgresFileStore,
  engineNow,
  inTransaction,
  setProvider,
} from '@outdial/db';
import { startScheduler } from '@outdial/scheduler';
import { sql } from 'kysely';
import { waitFor } from '../../support/stack/wait-for.ts';
import { passiveBehaviour, type Behaviour } from '../gateway/behaviour.ts';
import type { Scenario } from './scenario.ts';
import { allowOnlyAmerica } from './allow-only-america.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { heldBy } from './held-by.ts';
import { timeGoesBy } from './time.ts';
import { firstNumber, type ScenarioWorld } from './world.ts';

export const lostJob: Scenario = {
  name: 'a claim is committed, and its job is lost',
  promise: 'no recipient is forgotten',
  async run(world) {
    await world.campaign();
    for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
    assert.equal(world.jobs.take('place-call').length, 1);
    await timeGoesBy(world, 15);
    assert.equal(world.accepted().length, 1);
    const [recipient] = await world.recipients();
    assert.deepEqual([recipient?.state, recipient?.attempts], ['dialing', 1]);
    await world.countersAgree();
  },
};

const backlog = { campaigns: 4, recipients: 25_000 };

export const expiredBacklog: Scenario = {
  name: '100,000 claims expire at once',
  promise: 'no recipient is forgotten',
  async run(world) {
    const { db, control } = world;
    for (let campaign = 0; campaign < backlog.campaigns; campaign++) {
      const numbers = Array.from(
        { length: backlog.recipients },
        (_, n) => `+1555${String(2_000_000 + campaign * backlog.recipients + n)}`,
      );
      await claimAll(
        world,
        await world.campaign({ numbers, config: { max_concurrent_calls: numbers.length } }),
      );
    }
    world.jobs.take();
    await world.clock.advance(leaseMs);
    const scheduler = startScheduler({ ...control, files: createPostgresFileStore(db) });
    world.onClose(() => scheduler.stop());
    // Looks for one row instead of counting all, because counting 100,000 repeatedly would slow the sweep down.
    const left = sql`select from campaign_recipients where state = 'claimed' limit 1`;
    await waitFor('all claims to be released', async () => (await left.execute(db)).rows.length === 0, {
      withinMs: 45_000,
    });
    await world.countersAgree();
  },
};

const leaseMs = 30_000;

/** Claims the whole list at once, like many workers together. */
async function claimAll(world: ScenarioWorld, campaignId: string): Promise<void> {
  const now = await engineNow(world.db);
  const zones = await sql<{ timezone: string }>`
    select distinct timezone from campaign_recipients where campaign_id = ${campaignId}`.execute(world.db);
  const claims = await inTransaction(world.db, async (tx) => {
    const { claims: claimed } = await claimDueRecipients(tx, {
      organizationId: world.organization.id,
      campaignId,
      provider: 'gateway',
      zones: zones.rows.map((row) => row.timezone),
      now,
      limit: backlog.recipients,
      leaseExpiresAt: new Date(now.getTime() + leaseMs - 1_000),
      slots: null,
    });
    await sql`select 1`.execute(tx);
    return claimed;
  });
  assert.equal(claims.length, backlog.recipients);
}

/** A worker that loses its database connection in the middle of the gate, and dies. */
async function gateWithoutAnswer(world: ScenarioWorld): Promise<void> {
  const campaignId = await world.campaign();
  const proxy = await startCuttingProxy(world.databaseUrl);
  world.onClose(() => proxy.close());
  const dying = world.openEngine('dying', proxy.url);
  for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
  const [job] = world.jobs.take('place-call');
  assert.ok(job);
  assert.ok(await dying.deps.contexts.get(campaignId));
  // A claim that does not exist passes no gate, but it makes the worker save the grounds of the windows. The gate of the real claim then writes
  // nothing else.
  await dying.run({ ...job, payload: { ...job.payload, claim_id: randomUUID() } });
  proxy.mode = 'cut commit';
  await assert.rejects(dying.run(job));
}

export const commitAnswerLost: Scenario = {
  name: 'a gate commits, its answer is lost, and the worker dies before the send',
  promise: 'no recipient is forgotten',
  async run(world) {
    await gateWithoutAnswer(world);
    assert.equal((await world.calls())[0]?.phase, 'placing');
    assert.equal(world.gateway.calls.size, 0);
    await timeGoesBy(world, 15);
    const [row] = await world.calls();
    assert.deepEqual(
      world.accepted().map((call) => call.callId),
      [row?.id],
    );
    assert.equal((await world.calls()).length, 1);
    await world.countersAgree();
  },
};

function firstPost(reaction: ReturnType<Behaviour['post']>): Behaviour {
  return { ...passiveBehaviour, post: (_call, earlier) => (earlier === 0 ? reaction : { kind: 'accept' }) };
}

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

export const slotMissedWhenPlacedAgain: Scenario = {
  name: 'a busy worker repeats a send and misses its slot',
  promise: 'no recipient is forgotten',
  async run(world) {
    await setProvider(world.db, {
      name: 'gateway',
      changes: { callsPerSecond: 5 },
      now: await engineNow(world.db),
    });
    // Wait until the pace takes effect.
    await world.clock.advance(400);
    world.gateway.behaviour = firstPost({ kind: 'drop', accepts: false });
    await world.campaign();
    await world.engine.settle();
    const [call] = await world.calls();
    assert.ok(call);
    await world.clock.advance(13_000);
    const release = await heldBy(world, sql`select from calls where id = ${call.id} for update`);
    const placing = world.engine.run({ job: checkCallJob.name, payload: { call_id: call.id } });
    await world.untilBlocked('worker');
    await world.clock.advance(1_000);
    await release();
    await placing;
    assert.equal(world.accepted().length, 1, 'a missed slot delayed the call until its next look-up');
    assert.equal((await world.calls())[0]?.placed_again, 1);
    await world.countersAgree();
  },
};

export const noSlotToPlaceAgain: Scenario = {
  name: 'a send has to be repeated, and its provider has no free slot for a quarter of an hour',
  promise: 'no recipient is forgotten',
  async run(world) {
    world.gateway.behaviour = firstPost({ kind: 'drop', accepts: false });
    await world.campaign();
    await world.engine.settle();
    assert.equal((await world.calls()).length, 1);
    await setProvider(world.db, {
      name: 'gateway',
      changes: { callsPerSecond: 0.001 },
      now: await engineNow(world.db),
    });
    // Wait until the pace takes effect.
    await world.clock.advance(400);
    await takeTheOnlySlot(world);
    await timeGoesBy(world, 15);
    assert.equal((await world.calls()).length, 1, 'the send could still arrive');
    // After six minutes it can no longer arrive.
    await world.clock.advance(6 * 60_000);
    await timeGoesBy(world, 15);
    assert.deepEqual(await world.calls(), [], 'a call that is never sent again holds its line');
    const recipient = (await world.recipients()).find((one) => one.phone_number === firstNumber);
    assert.deepEqual([recipient?.state, recipient?.attempts], ['pending', 0]);
    await world.countersAgree();
  },
};

/**
 * The claim of another campaign takes the slot, and its job is lost. The send to be repeated was made before there was a pace, because a slow machine
 * could miss its slot and would then send no call at all.
 */
async function takeTheOnlySlot(world: ScenarioWorld): Promise<void> {
  await world.campaign({ numbers: ['+15551000001'] });
  for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
  assert.equal(world.jobs.take('place-call').length, 1);
}

export const backPressure: Scenario = {
  name: 'the gateway is busy and says when to retry',
  promise: 'back-pressure burns no attempt',
  async run(world) {
    world.gateway.behaviour = firstPost({ kind: 'defer', status: 503, retryAfterSeconds: 7 });
    await world.campaign();
    await world.engine.settle();
    assert.equal((await world.recipients())[0]?.attempts, 0);
    assert.equal((await world.calls()).length, 0);
    await world.countersAgree();
    await timeGoesBy(world, 5);
    assert.equal(world.accepted().length, 0, 'the call was dialed before the time that the gateway named');
    await timeGoesBy(world, 6);
    assert.equal(world.accepted().length, 1);
    assert.equal((await world.recipients())[0]?.attempts, 1);
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
    world.gateway.isDown = true;
    const numbers = Array.from({ length: 30 }, (_, n) => `+1555100${String(1_000 + n)}`);
    const campaignId = await world.campaign({ numbers, config: { max_concurrent_calls: 5 } });
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
