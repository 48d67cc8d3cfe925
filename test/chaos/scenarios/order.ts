import assert from 'node:assert/strict';
import { engineNow, lockPace, savePace, setProvider, type Tx } from '@outdial/db';
import { sql } from 'kysely';
import { countDeadlocks } from './deadlocks.ts';
import { endCalls } from './end-calls.ts';
import { heldBy } from './held-by.ts';
import { overlapping } from './overlapping.ts';
import type { Scenario } from './scenario.ts';
import { numbersOf, type ScenarioWorld } from './world.ts';

/** Lock order over many rows, and instants that are in the future after the clock was set back. */

export const numbersMeetEnds: Scenario = {
  name: 'calls end while a new list of numbers is being saved',
  promise: 'concurrent requests do not fail each other',
  async run(world) {
    const numbers = numbersOf(4);
    const campaignId = await world.campaign({ numbers, config: { max_concurrent_calls: 4 } });
    await world.engine.settle();
    await world.untilAccepted();
    const { manager } = world.organization.clients;
    await manager.setStatus(campaignId, 'paused');
    // The update of the list blocks in the middle of its rows.
    const release = await heldBy(world, sql`select from campaign_recipients where position = 1 for update`);
    const replacing = manager.updateCampaign(campaignId, { phone_numbers: numbers.toReversed() });
    await world.untilBlocked('scenario');
    const callIds = world.accepted().map(({ callId }) => callId);
    const ending = endCalls(world.openEngine('ends'), callIds, 'busy');
    const waitsFor = await world.untilBlocked('ends');
    await release();
    await Promise.all([replacing, ending]);
    assert.equal(waitsFor, 'advisory', 'the ends of calls hold rows that the new list is about to lock');
    const states = new Set((await world.recipients()).map((recipient) => recipient.state));
    assert.deepEqual(states, new Set(['done']));
  },
};

export const sameNumbersInTwoOrders: Scenario = {
  name: 'two campaigns dial the same numbers in opposite order',
  promise: 'no two live calls',
  async run(world) {
    const numbers = numbersOf(20);
    const engines = [world.openEngine('one'), world.openEngine('two')];
    const ids: string[] = [];
    for (const list of [numbers, numbers.toReversed()]) {
      ids.push(await world.campaign({ numbers: list, config: { max_concurrent_calls: 20 } }));
    }
    // Each row is slow, so that both gates are in the middle of their rows at the same time.
    await sql
      .raw(`create function slow_row() returns trigger language plpgsql as $$
        begin perform pg_sleep(0.02); return new; end $$`)
      .execute(world.db);
    await sql
      .raw('create trigger slow_row before insert on calls for each row execute function slow_row()')
      .execute(world.db);
    const dialed = await Promise.all(engines.map((engine, n) => engine.dial(ids[n])));
    assert.equal(dialed.flat().length, 20);
    assert.equal(await countDeadlocks(world, ['one', 'two']), 0, 'the dials deadlocked');
  },
};

export const paceAfterTheWait: Scenario = {
  name: "an advance waits for its provider's row while others use the pace",
  promise: 'limits hold across processes',
  async run(world) {
    const now = await engineNow(world.db);
    await setProvider(world.db, { name: 'gateway', changes: { callsPerSecond: 10 }, now });
    const campaignId = await world.campaign({ numbers: numbersOf(20), config: { max_concurrent_calls: 20 } });
    const rows = { campaignId: null, provider: 'gateway' };
    await world.clock.stop();
    const lanes = async (tx: Tx) =>
      savePace(tx, rows, await lockPace(tx, rows), { at: await engineNow(tx), count: 10 });
    const dialed: unknown[] = [];
    await overlapping(world, lanes, async () => dialed.push(...(await world.engine.dial(campaignId))));
    assert.deepEqual(dialed, [], 'the pace was used twice');
  },
};

/** Whether so many calls are accepted within a minute or two of the engine's time. */
async function dialsWithinSeconds(world: ScenarioWorld, count: number): Promise<boolean> {
  for (let second = 0; second < 90; second++) {
    await world.sweep();
    await world.engine.settle();
    if (world.accepted().length >= count) return true;
    await world.clock.advance(1_000);
  }
  return false;
}

export const clockSetBack: Scenario = {
  name: 'the clock is set back by an hour while paced gates and wake-ups lie ahead',
  promise: 'interrupted work is noticed',
  async run(world) {
    await world.campaign({ numbers: numbersOf(3), config: { calls_per_second: 1 } });
    assert.ok(await dialsWithinSeconds(world, 1));
    await world.clock.advance(-3_600_000);
    assert.ok(await dialsWithinSeconds(world, 3), 'the campaign waits for instants an hour ahead');
  },
};

export const clockSetBackWithCalls: Scenario = {
  name: 'the clock is set back by an hour while calls wait for repair',
  promise: 'interrupted work is noticed',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(2), config: { max_concurrent_calls: 2 } });
    const [sent, unsent] = await world.engine.dial(campaignId);
    assert.ok(sent && unsent);
    // The answer to the first send is lost, and the worker dies before the second one.
    world.gateway.behaviour = {
      ...world.gateway.behaviour,
      post: () => ({ kind: 'drop', accepts: false }),
    };
    await world.engine.send(sent);
    world.gateway.behaviour = { ...world.gateway.behaviour, post: () => ({ kind: 'accept' }) };
    await world.clock.advance(-3_600_000);
    assert.ok(await dialsWithinSeconds(world, 2), 'a call waits for an instant an hour ahead');
    assert.equal((await world.calls()).length, 2);
  },
};

export const clockSetBackWithAnOpenCircuit: Scenario = {
  name: "the clock is set back by an hour while a provider's circuit is open",
  promise: 'interrupted work is noticed',
  async run(world) {
    await world.campaign({ numbers: numbersOf(1) });
    await sql`
      update providers set failures_in_a_row = 5, closed_until = engine_now() + interval '20 seconds'`.execute(
      world.db,
    );
    await world.engine.settle();
    assert.equal(world.accepted().length, 0);
    await world.clock.advance(-3_600_000);
    assert.ok(await dialsWithinSeconds(world, 1), 'the circuit stays open for an hour');
  },
};
