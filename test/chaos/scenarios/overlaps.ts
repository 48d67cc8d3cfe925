import assert from 'node:assert/strict';
import { addSuppressions, engineNow, setProvider } from '@outdial/db';
import { sql } from 'kysely';
import { mostInASecond } from '../../support/intervals.ts';
import { endCalls } from './end-calls.ts';
import { blockCommits, heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { firstNumber, numbersOf, type ScenarioWorld } from './world.ts';

/** Requests and jobs that overlap. */

/** The row that an advance locks after it has taken its locks and chosen whom to dial. */
const runtimeOf = (campaignId: string) =>
  sql`select from campaign_runtime where campaign_id = ${campaignId} for update`;

export const suppressedAtTheGate: Scenario = {
  name: 'a number is suppressed after its gate took its locks and before it decides',
  promise: 'no dial after no',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(2) });
    // The dial has locked the campaign and chosen its people. It has not read the list yet.
    const release = await heldBy(world, runtimeOf(campaignId));
    const placing = world.engine.dial(campaignId);
    await world.untilBlocked('worker');
    const adder = world.openEngine('adder');
    let answeredAt = Number.POSITIVE_INFINITY;
    const adding = addSuppressions(adder.db, {
      organizationId: world.organization.id,
      suppressions: [{ phoneNumber: firstNumber, reason: null }],
    }).then(async () => (answeredAt = (await engineNow(world.db)).getTime()));
    await Promise.race([adding, world.untilBlocked('adder')]);
    // Time passes, so that earlier instants differ from later ones.
    await world.clock.advance(1_000);
    await release();
    await Promise.all([placing, adding]);
    const call = (await world.calls()).find((one) => one.phone_number === firstNumber);
    assert.ok(
      !call?.gated_at || call.gated_at.getTime() <= answeredAt,
      'a gate opened after the suppression had been answered',
    );
  },
};

export const pauseIsNotOvertaken: Scenario = {
  name: 'a pause waits for the end of a call, and a dial begins',
  promise: 'no dial after no',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(2) });
    const [call] = await world.engine.dial(campaignId, 1);
    assert.ok(call);
    assert.equal(await world.engine.send(call), 'accepted');
    const [ends, late] = [world.openEngine('ends'), world.openEngine('late')];
    // The end holds its campaign in share mode, as a dial does, and waits for the row.
    const release = await heldBy(world, runtimeOf(campaignId));
    const ending = endCalls(ends, [call.pass.callId], 'busy');
    await world.untilBlocked('ends');
    const pausing = world.organization.clients.manager.setStatus(campaignId, 'paused');
    await world.untilBlocked('scenario');
    const overtaking = late.dial(campaignId, 1);
    await world.untilBlocked('late');
    await release();
    const [overtaken] = await Promise.all([overtaking, ending, pausing]);
    assert.deepEqual(overtaken, [], 'a dial that began after the pause overtook it');
  },
};

export const pauseWhileABatchCommits: Scenario = {
  name: 'a campaign is paused while a batch commits, and is answered',
  promise: 'no dial after no',
  async run(world) {
    const numbers = numbersOf(20);
    const campaignId = await world.campaign({ numbers, config: { max_concurrent_calls: 20 } });
    const release = await blockCommits(world, 'insert on calls');
    const dialing = world.engine.dial(campaignId, 10);
    await world.untilBlocked('worker');
    let answered = false;
    const pausing = world.organization.clients.manager
      .setStatus(campaignId, 'paused')
      .then(() => (answered = true));
    await Promise.race([pausing, world.untilBlocked('scenario')]);
    assert.ok(!answered, 'the pause was answered before the batch committed');
    await release();
    const [dialed] = await Promise.all([dialing, pausing]);
    await world.engine.settle();
    assert.equal(dialed.length, 10);
    assert.deepEqual(await world.engine.dial(campaignId), [], 'a batch was dialed after the pause');
    await world.countersAgree();
  },
};

/** A pace that is set while two workers dial, and holds from its answer on. */
async function setPaceAtFullSpeed(
  world: ScenarioWorld,
  set: (campaignId: string) => Promise<unknown>,
): Promise<void> {
  const people = 400;
  const campaignId = await world.campaign({
    numbers: numbersOf(people),
    config: { max_concurrent_calls: people },
  });
  const isHalfWay = Promise.withResolvers<void>();
  let dialed = 0;
  let isSet = false;
  const lane = async (worker: ScenarioWorld['engine']) => {
    while (!isSet) {
      const calls = await worker.dial(campaignId, 5);
      dialed += calls.length;
      if (dialed > people / 4) isHalfWay.resolve();
    }
    for (let more = 0; more < 20; more++) await worker.dial(campaignId, 5);
  };
  const other = world.openEngine('other');
  const lanes = [world.engine, other, world.engine, other].map(lane);
  await Promise.race([isHalfWay.promise, Promise.all(lanes)]);
  await set(campaignId);
  const answeredAt = (await engineNow(world.db)).getTime();
  isSet = true;
  await Promise.all(lanes);
  const gates = (await world.calls()).map((call) => call.gated_at?.getTime() ?? 0);
  const most = mostInASecond(gates.filter((at) => at > answeredAt));
  assert.ok(gates.length < people, 'nobody was left when the pace was set');
  assert.ok(most <= 1, `${most} gates within a second, 1 allowed`);
}

export const paceOfTheProvider: Scenario = {
  name: 'a provider gets a pace while two workers dial as fast as they can',
  promise: 'limits hold across processes',
  run: (world) =>
    setPaceAtFullSpeed(world, async () => {
      const changes = { callsPerSecond: 1 };
      await setProvider(world.db, { name: 'gateway', changes, now: await engineNow(world.db) });
    }),
};

export const campaignPaceAtFullSpeed: Scenario = {
  name: 'a campaign gets a pace while two workers dial as fast as they can',
  promise: 'limits hold across processes',
  run: (world) =>
    setPaceAtFullSpeed(world, (campaignId) =>
      world.organization.clients.admin.setConfig(campaignId, { calls_per_second: 1 }),
    ),
};

export const slowerPaceCountsEarlierGates: Scenario = {
  name: 'a provider gets a slower pace right after gates of the faster one',
  promise: 'limits hold across processes',
  async run(world) {
    const { db } = world;
    await setProvider(db, { name: 'gateway', changes: { callsPerSecond: 50 }, now: await engineNow(db) });
    const campaignId = await world.campaign({ numbers: numbersOf(10), config: { max_concurrent_calls: 10 } });
    assert.ok((await world.engine.dial(campaignId)).length > 0);
    await setProvider(db, { name: 'gateway', changes: { callsPerSecond: 1 }, now: await engineNow(db) });
    assert.deepEqual(await world.engine.dial(campaignId), [], 'a gate followed within the second');
  },
};

export const jobsTwiceAtFullSpeed: Scenario = {
  name: 'the job of a campaign is delivered many times, to two processes, while all run and later',
  promise: 'one attempt, one call',
  async run(world) {
    await world.campaign({ numbers: numbersOf(60), config: { max_concurrent_calls: 60 } });
    const [job] = world.jobs.take();
    assert.ok(job);
    const other = world.openEngine('other');
    const runs = [world.engine, other, world.engine, other, world.engine];
    await Promise.all(runs.map((engine) => engine.run(job)));
    await other.run(job);
    assert.equal(world.gateway.calls.size, 60);
    assert.equal(world.accepted().length, 60);
    assert.ok(
      world.accepted().every((call) => call.posts.length === 1),
      'a call was sent twice',
    );
  },
};
