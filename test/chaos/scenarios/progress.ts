import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { outboxFaults } from '../../support/outbox-faults.ts';
import { endCalls } from './end-calls.ts';
import type { Scenario } from './scenario.ts';
import { timeGoesBy } from './time.ts';
import type { ScenarioWorld } from './world.ts';

const ended = (outcome: string) => ({ outcome, duration: 3 });

/** Ends a call like the engine when the outcome cannot be determined. */
async function closeAsUnknown(world: ScenarioWorld, callId: string): Promise<void> {
  await world.engine.deps.progress.record({
    callId,
    withoutAcceptance: true,
    facts: [{ kind: 'ended', eventId: null, at: new Date(), outcome: 'unknown', details: {} }],
  });
}

async function lines(world: ScenarioWorld): Promise<number> {
  const { rows } = await sql<{ lines: number }>`select lines_in_use as lines from providers`.execute(
    world.db,
  );
  return rows[0]?.lines ?? -1;
}

export const correctedOnce: Scenario = {
  name: 'a late final event corrects an unknown outcome, twice',
  promise: 'a line is freed exactly once',
  options: { providerLines: 9 },
  async run(world) {
    await world.campaign({ numbers: ['+15551000001', '+15551000002'] });
    await world.engine.settle();
    const [first] = world.accepted();
    assert.ok(first);
    assert.equal(await lines(world), 2);
    await closeAsUnknown(world, first.callId);
    assert.equal(await lines(world), 1);
    assert.equal(await world.event(first.callId, 'call.ended', ended('completed')), 200);
    assert.equal(await world.event(first.callId, 'call.ended', ended('busy')), 200);
    assert.equal(await lines(world), 1);
    await world.countersAgree();
    const call = (await world.calls()).find((one) => one.id === first.callId);
    assert.equal(call?.outcome, 'completed');
  },
};

export const eventTwice: Scenario = {
  name: 'the same event is delivered twice',
  promise: 'an event counts once',
  async run(world) {
    await world.campaign();
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    for (let n = 0; n < 2; n++) {
      assert.equal(
        await world.event(call.callId, 'call.transcript', { transcript: 'hello' }, 'event-1'),
        200,
      );
    }
    const { rows } = await sql<{ times: number }>`
      select count(*)::int as times from calls, jsonb_array_elements(events) e where e ->> 'type' = 'transcript'`.execute(
      world.db,
    );
    assert.equal(rows[0]?.times, 1);
  },
};

export const eventsInAnyOrder: Scenario = {
  name: 'the end of a call is reported first, then the answer, the ringing, and another end',
  promise: 'an event counts once',
  options: { providerLines: 9 },
  async run(world) {
    await world.campaign({ config: { call_back_attempts: 1 } });
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    await world.event(call.callId, 'call.ended', ended('completed'));
    await world.event(call.callId, 'call.answered');
    await world.event(call.callId, 'call.ringing');
    await world.event(call.callId, 'call.ended', ended('busy'));
    const [row] = await world.calls();
    assert.deepEqual([row?.phase, row?.outcome], ['ended', 'completed']);
    const [recipient] = await world.recipients();
    assert.deepEqual([recipient?.state, recipient?.attempts], ['done', 1]);
    assert.equal(await lines(world), 0);
    await world.countersAgree();
  },
};

export const lateCorrection: Scenario = {
  name: 'an unknown outcome is corrected when the next attempt is already in progress',
  promise: 'one attempt, one call',
  async run(world) {
    await world.campaign({ config: { call_back_attempts: 2, retry_on: ['unknown'] } });
    await world.engine.settle();
    const [first] = world.accepted();
    assert.ok(first);
    await closeAsUnknown(world, first.callId);
    await world.clock.advance(2_000);
    await world.sweep();
    await world.engine.settle();
    assert.equal(world.accepted().length, 2);
    await world.event(first.callId, 'call.ended', ended('completed'));
    const [recipient] = await world.recipients();
    assert.deepEqual([recipient?.state, recipient?.attempts], ['dialing', 2]);
    await world.countersAgree();
  },
};

export const forgedEvent: Scenario = {
  name: 'an attacker without the secret reports the end of a call',
  promise: 'only signed events change a call',
  async run(world) {
    await world.campaign();
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    const response = await fetch(`${world.baseUrl}/provider-events/gateway`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'forged',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
      },
      body: JSON.stringify({
        event_id: 'forged',
        type: 'call.ended',
        call_id: call.callId,
        occurred_at: new Date().toISOString(),
        data: ended('completed'),
      }),
    });
    assert.equal(response.status, 401);
    assert.equal((await world.calls())[0]?.phase, 'placing');
  },
};

/** Makes one commit fail at the last moment, as if the disk were full or the server crashed. */
async function failNextCommit(world: ScenarioWorld): Promise<void> {
  const statements = [
    `create sequence chaos_commits`,
    `create function chaos_fail_once() returns trigger language plpgsql as $$
     begin
       if new.phase = 'ended' and nextval('chaos_commits') = 1 then
         raise exception 'the commit fails' using errcode = 'serialization_failure';
       end if;
       return null;
     end $$`,
    `create constraint trigger chaos_commit after update on calls deferrable initially deferred
       for each row execute function chaos_fail_once()`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(world.db);
}

export const commitFails: Scenario = {
  name: 'the commit of a final event fails, and is retried',
  promise: 'a line is freed exactly once',
  async run(world) {
    await world.campaign({ numbers: ['+15551000001', '+15551000002', '+15551000003'] });
    await world.engine.settle();
    const [first] = world.accepted();
    assert.ok(first);
    await failNextCommit(world);
    await endCalls(world.engine, [first.callId], 'completed');
    assert.equal((await world.calls()).filter((call) => call.phase === 'ended').length, 1);
    await world.countersAgree();
  },
};

export const outboxTells: Scenario = {
  name: 'calls end while commits fail, events are repeated, and an unknown outcome is corrected, and the outbox agrees with the rows',
  promise: 'events agree with the database',
  async run(world) {
    await world.campaign({ numbers: ['+15551000001', '+15551000002'], config: { call_back_attempts: 1 } });
    await world.engine.settle();
    const [first, second] = world.accepted();
    assert.ok(first && second);
    await failNextCommit(world);
    await world.event(first.callId, 'call.answered');
    await world.event(first.callId, 'call.ended', ended('completed'), 'end');
    await world.event(first.callId, 'call.ended', ended('completed'), 'end');
    await closeAsUnknown(world, second.callId);
    await world.event(second.callId, 'call.ended', ended('busy'));
    assert.deepEqual(await outboxFaults(world.db), []);
    const { rows } = await sql<{ type: string; times: number }>`
      select type, count(*)::int as times from outbox group by type order by type`.execute(world.db);
    assert.deepEqual(
      rows.map((row) => `${row.times} ${row.type}`),
      [
        '1 call.answered',
        '2 call.ended',
        '2 call.started',
        '1 call.updated',
        '1 campaign.started',
        '2 recipient.finished',
      ],
    );
  },
};

export const endsDuringAPause: Scenario = {
  name: 'calls end while their campaign is paused',
  promise: 'no recipient is forgotten',
  async run(world) {
    const campaignId = await world.campaign({
      numbers: ['+15551000001', '+15551000002'],
      config: { call_back_attempts: 1 },
    });
    await world.engine.settle();
    const { manager } = world.organization.clients;
    await manager.setStatus(campaignId, 'paused');
    for (const { callId } of world.accepted()) {
      world.gateway.end(callId, 'busy');
      assert.equal(await world.event(callId, 'call.ended', ended('busy')), 200);
    }
    await timeGoesBy(world, 3);
    assert.equal(world.accepted().length, 2, 'a call-back was dialed during the pause');
    assert.deepEqual(await outboxFaults(world.db), []);
    await manager.setStatus(campaignId, 'running');
    await world.engine.settle();
    assert.equal(world.accepted().length, 4, 'not everybody was called back after the pause');
    assert.deepEqual(
      (await world.recipients()).map(({ state, attempts }) => [state, attempts]),
      [
        ['dialing', 2],
        ['dialing', 2],
      ],
    );
    assert.deepEqual(await outboxFaults(world.db), []);
    await world.countersAgree();
  },
};

export const attemptsAreBounded: Scenario = {
  name: 'a number is always busy',
  promise: 'no dial after the last allowed attempt',
  async run(world) {
    await world.campaign({ config: { call_back_attempts: 2 } });
    for (let round = 0; round < 5; round++) {
      await world.engine.settle();
      for (const call of world.accepted()) {
        if (call.endedAtMs !== null) continue;
        world.gateway.end(call.callId, 'busy');
        assert.equal(await world.event(call.callId, 'call.ended', ended('busy')), 200);
      }
      await world.clock.advance(2_000);
      await world.sweep();
    }
    assert.equal(world.accepted().length, 3);
    const [recipient] = await world.recipients();
    assert.deepEqual([recipient?.state, recipient?.attempts], ['done', 3]);
  },
};
