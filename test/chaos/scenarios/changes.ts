import assert from 'node:assert/strict';
import {
  engineNow,
  finishCampaign,
  inTransaction,
  loadCampaignDefinition,
  lockCampaign,
  replanRecipients,
  undoAttempt,
  writeCampaignConfig,
  writeCampaignStatus,
  type Tx,
} from '@outdial/db';
import { retryRecipientsInTransaction, setCampaignConfig } from '@outdial/engine';
import type { Outcome } from '@outdial/core';
import { sql } from 'kysely';
import { outboxFaults } from '../../support/outbox-faults.ts';
import { endCalls } from './end-calls.ts';
import { overlapping } from './overlapping.ts';
import type { Scenario } from './scenario.ts';
import { numbersOf, type ScenarioWorld } from './world.ts';

/** Changes that overlap with other transactions. */
const end = (world: ScenarioWorld, callId: string, outcome: Outcome) =>
  endCalls(world.engine, [callId], outcome);

function keyOf(world: ScenarioWorld, campaignId: string) {
  return { organizationId: world.organization.id, campaignId };
}

async function stateOf(world: ScenarioWorld): Promise<string> {
  const { rows } = await sql<{ state: string; reason: string | null }>`
    select state, finish_reason as reason from campaign_recipients order by position`.execute(world.db);
  return rows.map((row) => [row.state, row.reason].filter(Boolean).join(' ')).join(', ');
}

/** Sets a config without call-backs, like a request. */
async function giveNoCallBacks(tx: Tx, world: ScenarioWorld, campaignId: string): Promise<void> {
  const held = await lockCampaign(tx, keyOf(world, campaignId));
  assert.ok(held);
  const changes = { call_back_attempts: 0 };
  await writeCampaignConfig(tx, { ...keyOf(world, campaignId), changes, now: held.now });
  const definition = await loadCampaignDefinition(tx, campaignId);
  if (definition) await replanRecipients(tx, definition, { kind: 'left' }, held.now);
}

export const configMeetsEnd: Scenario = {
  name: 'a call ends while a config without call-backs is being saved',
  promise: 'no dial after the last allowed attempt',
  async run(world) {
    const campaignId = await world.campaign({ config: { call_back_attempts: 2 } });
    await world.engine.settle();
    await world.untilAccepted();
    const [call] = world.accepted();
    assert.ok(call);
    await overlapping(
      world,
      (tx) => giveNoCallBacks(tx, world, campaignId),
      () => end(world, call.callId, 'busy'),
    );
    assert.equal(await stateOf(world), 'done attempts_used');
  },
};

export const configMeetsUndo: Scenario = {
  name: 'an attempt is undone while a config without call-backs is being saved',
  promise: 'no dial after the last allowed attempt',
  async run(world) {
    const campaignId = await world.campaign({ config: { call_back_attempts: 2 } });
    await world.engine.settle();
    const [first] = world.accepted();
    assert.ok(first);
    await end(world, first.callId, 'busy');
    await world.clock.advance(2_000);
    await world.sweep();
    await world.engine.settle();
    await world.untilAccepted();
    await overlapping(
      world,
      (tx) => giveNoCallBacks(tx, world, campaignId),
      () => undoLast(world),
    );
    assert.equal(await stateOf(world), 'done attempts_used');
  },
};

/** As for a provider that queues calls and has withdrawn the last one. */
async function undoLast(world: ScenarioWorld): Promise<void> {
  const { rows } = await sql<{ id: string; gated_at: Date }>`
    select id, gated_at from calls where phase = 'placing' order by attempt desc limit 1`.execute(world.db);
  const [call] = rows;
  assert.ok(call);
  const now = await engineNow(world.db);
  await inTransaction(world.engine.deps.db, (tx) =>
    undoAttempt(tx, {
      callId: call.id,
      gatedAt: call.gated_at,
      retryAt: now,
      now,
      queueTimeoutSeconds: 60,
      why: 'withdrawn_at_provider',
      isWithdrawn: true,
    }),
  );
}

export const undoneAfterCorrection: Scenario = {
  name: 'an attempt is undone after a correction shows that the previous attempt reached the recipient',
  promise: 'no reached person is called again',
  async run(world) {
    await world.campaign({ config: { call_back_attempts: 2, retry_on: ['unknown'] } });
    await world.engine.settle();
    const [first] = world.accepted();
    assert.ok(first);
    await end(world, first.callId, 'unknown');
    await world.clock.advance(2_000);
    await world.sweep();
    await world.engine.settle();
    assert.equal(world.accepted().length, 2);
    await end(world, first.callId, 'completed');
    await undoLast(world);
    assert.equal(await stateOf(world), 'done reached');
  },
};

export const hangUpMeetsUndo: Scenario = {
  name: 'an attempt is undone after the hang-up of its call was requested',
  promise: 'no dial after no',
  async run(world) {
    await world.campaign();
    await world.engine.settle();
    await world.untilAccepted();
    const [call] = world.accepted();
    assert.ok(call);
    await world.organization.clients.member.hangUp(call.callId);
    await undoLast(world);
    assert.deepEqual(
      (await world.calls()).map(({ id }) => id),
      [call.callId],
    );
    assert.equal(await stateOf(world), 'dialing');
  },
};

export const requestedRoundMeetsUndo: Scenario = {
  name: 'the first attempt of a requested round is undone',
  promise: 'no recipient is forgotten',
  async run(world) {
    const campaignId = await world.campaign();
    await world.engine.settle();
    const [first] = world.accepted();
    assert.ok(first);
    await end(world, first.callId, 'busy');
    await inTransaction(world.db, (tx) =>
      retryRecipientsInTransaction(tx, { ...keyOf(world, campaignId), outcomes: ['busy'] }),
    );
    await world.sweep();
    await world.engine.settle();
    assert.equal(world.accepted().length, 2);
    await world.untilAccepted();
    await undoLast(world);
    assert.equal(await stateOf(world), 'pending');
  },
};

export const correctionMeetsCancel: Scenario = {
  name: 'an unknown outcome is corrected while its campaign is being canceled',
  promise: 'no recipient of a final campaign waits',
  async run(world) {
    const campaignId = await world.campaign({ config: { call_back_attempts: 2 } });
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    await end(world, call.callId, 'unknown');
    await overlapping(
      world,
      async (tx) => {
        const held = await lockCampaign(tx, keyOf(world, campaignId));
        assert.ok(held);
        await writeCampaignStatus(tx, { campaignId, status: 'canceled', now: held.now });
      },
      () => end(world, call.callId, 'busy'),
    );
    assert.equal(await stateOf(world), 'done campaign_ended');
  },
};

export const correctionAfterPlan: Scenario = {
  name: 'an unknown outcome is corrected after the next round was planned',
  promise: 'no dial after the last allowed attempt',
  async run(world) {
    await world.campaign({ config: { queue_again: true, retry_on: ['unknown', 'busy'] } });
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    await end(world, call.callId, 'unknown');
    await end(world, call.callId, 'busy');
    await world.clock.advance(3_600_000);
    await world.sweep();
    await world.engine.settle();
    assert.equal(world.accepted().length, 1, 'the round of the next day was dialed today');
  },
};

export const finishMeetsNumbers: Scenario = {
  name: 'a campaign without remaining recipients is about to finish while numbers are added',
  promise: 'every recipient comes to a final state',
  async run(world) {
    const campaignId = await world.campaign();
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    await end(world, call.callId, 'completed');
    await overlapping(
      world,
      async (tx) => {
        await lockCampaign(tx, keyOf(world, campaignId));
        await sql`
          insert into campaign_recipients (organization_id, campaign_id, position, phone_number, calling_key, next_attempt_at)
          select organization_id, id, 1, '+15551009999', timezone, start_at from campaigns`.execute(tx);
      },
      () => inTransaction(world.engine.deps.db, (tx) => finishCampaign(tx, keyOf(world, campaignId))),
    );
    const { rows } = await sql<{ status: string }>`select status from campaigns`.execute(world.db);
    assert.equal(rows[0]?.status, 'running');
  },
};

export const configMeetsAdvance: Scenario = {
  name: 'call-backs are dialed and others become due while a config without call-backs is being saved',
  promise: 'no dial after the last allowed attempt',
  async run(world) {
    const campaignId = await world.campaign({
      numbers: numbersOf(20),
      config: { call_back_attempts: 5, retry_delay_seconds: 0, max_concurrent_calls: 20 },
    });
    await world.engine.settle();
    const calls = world.accepted();
    assert.equal(calls.length, 20);
    // Ten wait for their call-back, of which an advance dials some meanwhile. The calls of the others end meanwhile.
    for (const call of calls.slice(0, 10)) await end(world, call.callId, 'busy');
    const dialing = world.engine.dial(campaignId, 3);
    const ends = calls.slice(10).map((call) => end(world, call.callId, 'busy'));
    await setCampaignConfig(
      { db: world.db, publisher: world.jobs, log: world.control.log },
      { ...keyOf(world, campaignId), body: { call_back_attempts: 0 } },
    );
    const answeredAt = await engineNow(world.db);
    const [dialed] = await Promise.all([dialing, ...ends]);
    for (const call of dialed) await world.engine.send(call);
    await world.sweep();
    await world.engine.settle();
    const late = (await world.calls()).filter(
      (call) => call.attempt > 1 && (call.gated_at ?? answeredAt) > answeredAt,
    );
    assert.deepEqual(
      late,
      [],
      'a call-back was dialed after the answer to the request that removed call-backs',
    );
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from campaign_recipients where state = 'pending'`.execute(world.db);
    assert.equal(rows[0]?.waiting, 0);
    assert.deepEqual(await outboxFaults(world.db), []);
  },
};
