import assert from 'node:assert/strict';
import { addSuppressions, engineNow, setProvider } from '@outdial/db';
import { sql } from 'kysely';
import { outboxFaults } from '../../support/outbox-faults.ts';
import { mostInASecond } from '../checks/intervals.ts';
import { allowOnlyAmerica } from './allow-only-america.ts';
import type { Scenario } from './scenario.ts';
import { firstNumber, type ScenarioWorld } from './world.ts';

/** Requests and jobs that overlap. */

const numbersOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `+1555100${String(n).padStart(4, '0')}`);

/** The jobs of one advance; the claims are in the database. */
async function claimed(world: ScenarioWorld) {
  for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
  return world.jobs.take('place-call');
}

/** After a pace is set, no call is dialed for a third of a second, during which slots of the earlier pace may still be used. */
const untilPaceBegins = (world: ScenarioWorld) => world.clock.advance(400);

/** Keeps the rows of a statement locked until the returned function is called. */
async function hold(world: ScenarioWorld, statement: ReturnType<typeof sql>): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = world.db.transaction().execute(async (tx) => {
    await statement.execute(tx);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return async () => {
    released.resolve();
    await holding;
  };
}

/** Blocks the commits of transactions that have made such a change, until the returned function is called. */
async function blockCommits(world: ScenarioWorld, change: string): Promise<() => Promise<void>> {
  await sql
    .raw(`create function scenario_hold() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(99, 0); return null; end $$`)
    .execute(world.db);
  await sql
    .raw(`create constraint trigger scenario_hold after ${change}
      deferrable initially deferred for each row execute function scenario_hold()`)
    .execute(world.db);
  return hold(world, sql`select pg_advisory_xact_lock(99, 0)`);
}

const recipientAt = (position: number, campaignId: string) =>
  sql`select from campaign_recipients where campaign_id = ${campaignId} and position = ${position} for update`;

export const jobTwiceAtOnce: Scenario = {
  name: 'a job is delivered twice to one process, and both wait in one batch of the gate',
  promise: 'one attempt, one call',
  async run(world) {
    await world.campaign({ numbers: numbersOf(5), config: { max_concurrent_calls: 5 } });
    const jobs = await claimed(world);
    await Promise.all([...jobs, ...jobs].map((job) => world.engine.run(job)));
    const posts = world.accepted().map((call) => call.posts.length);
    assert.deepEqual(posts, [1, 1, 1, 1, 1]);
  },
};

export const jobTwiceWhileItWaits: Scenario = {
  name: 'a job is delivered again while the first waits for its slot',
  promise: 'one attempt, one call',
  async run(world) {
    await world.campaign({ config: { calls_per_second: 5 } });
    await untilPaceBegins(world);
    const [job] = await claimed(world);
    assert.ok(job);
    const first = world.engine.run(job);
    await new Promise((resolve) => setTimeout(resolve, 15));
    const placed = await Promise.all([first, world.engine.run(job)]);
    assert.equal(world.accepted()[0]?.posts.length, 1);
    assert.equal(placed.filter((one) => (one as { kind: string }).kind === 'stale').length, 1);
  },
};

export const suppressedAtTheGate: Scenario = {
  name: 'a number is suppressed after its gate took its locks and before it decides',
  promise: 'no dial after no',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(2) });
    const jobs = await claimed(world);
    // The gate has locked the campaign and waits for the second recipient. It has not read the first one yet.
    const release = await hold(world, recipientAt(1, campaignId));
    const placing = Promise.all(jobs.map((job) => world.engine.run(job)));
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

export const suppressionWaitsForGates: Scenario = {
  name: 'a number is suppressed while a gate that has read the list is not committed',
  promise: 'no dial after no',
  async run(world) {
    await world.campaign();
    const [job] = await claimed(world);
    assert.ok(job);
    const release = await blockCommits(world, 'insert on calls');
    const placing = world.engine.run(job);
    await world.untilBlocked('worker');
    const adder = world.openEngine('adder');
    let answered = false;
    const adding = addSuppressions(adder.db, {
      organizationId: world.organization.id,
      suppressions: [{ phoneNumber: firstNumber, reason: null }],
    }).then(() => (answered = true));
    await Promise.race([adding, world.untilBlocked('adder')]);
    const answeredWhileOpen = answered;
    await release();
    await Promise.all([placing, adding]);
    assert.ok(
      !answeredWhileOpen,
      'the suppression was answered before a gate that had not read it committed',
    );
  },
};

export const limitsWaitForDirectGates: Scenario = {
  name: 'the countries of an organization are limited while the gate of a direct call has not committed',
  promise: 'no dial after no',
  async run(world) {
    const { member } = world.organization.clients;
    await member.makeCall(world.organization.agentId, { to_phone: '+442079460958' });
    const [job] = world.jobs.take('place-call');
    assert.ok(job);
    const release = await blockCommits(world, 'update on calls');
    const placing = world.engine.run(job);
    await world.untilBlocked('worker');
    const setter = world.openEngine('setter');
    let isAnswered = false;
    const setting = allowOnlyAmerica(world, setter.db).then(() => (isAnswered = true));
    await Promise.race([setting, world.untilBlocked('setter')]);
    const wasEarly = isAnswered;
    await release();
    await Promise.all([placing, setting]);
    assert.ok(!wasEarly, 'the limits were answered while a gate was open that had not read them');
  },
};

export const pauseIsNotOvertaken: Scenario = {
  name: 'a pause waits for a gate, and another gate begins',
  promise: 'no dial after no',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(2) });
    const [first, second] = await claimed(world);
    assert.ok(first && second);
    const late = world.openEngine('late');
    assert.ok(await late.deps.contexts.get(campaignId));
    const release = await hold(world, recipientAt(0, campaignId));
    const placing = world.engine.run(first);
    await world.untilBlocked('worker');
    const pausing = world.organization.clients.manager.setStatus(campaignId, 'paused');
    await world.untilBlocked('scenario');
    const overtaking = late.run(second);
    await Promise.race([overtaking, world.untilBlocked('late')]);
    await release();
    await Promise.all([placing, pausing, overtaking]);
    assert.equal(world.accepted().length, 1, 'a gate that began after the pause overtook it');
  },
};

export const paceOfTheProvider: Scenario = {
  name: 'a provider gets a pace while there are claims without slots',
  promise: 'limits hold across processes',
  async run(world) {
    await world.campaign({ numbers: numbersOf(10), config: { max_concurrent_calls: 10 } });
    const jobs = await claimed(world);
    assert.equal(jobs.length, 10);
    await setProvider(world.db, {
      name: 'gateway',
      changes: { callsPerSecond: 1 },
      now: await engineNow(world.db),
    });
    await Promise.all(jobs.map((job) => world.engine.run(job)));
    const gates = (await world.calls()).map((call) => call.gated_at?.getTime() ?? 0);
    assert.ok(mostInASecond(gates) <= 1, `${mostInASecond(gates)} gates within a second, 1 allowed`);
  },
};

export const fasterPaceIsReverted: Scenario = {
  name: 'a provider gets a slower pace while there are claims with slots of the faster one',
  promise: 'limits hold across processes',
  async run(world) {
    const { db } = world;
    await setProvider(db, { name: 'gateway', changes: { callsPerSecond: 50 }, now: await engineNow(db) });
    await world.campaign({ numbers: numbersOf(10), config: { max_concurrent_calls: 10 } });
    await untilPaceBegins(world);
    const jobs = await claimed(world);
    assert.ok(jobs.length > 1);
    await setProvider(db, { name: 'gateway', changes: { callsPerSecond: 1 }, now: await engineNow(db) });
    const answeredAt = (await engineNow(db)).getTime();
    await Promise.all(jobs.map((job) => world.engine.run(job)));
    const gates = (await world.calls()).map((call) => call.gated_at?.getTime() ?? 0);
    const after = gates.filter((at) => at > answeredAt);
    assert.ok(mostInASecond(after) <= 1, `${mostInASecond(after)} gates within a second, 1 allowed`);
  },
};

export const paceReturnsClaims: Scenario = {
  name: 'a campaign gets a pace while there are claims without slots',
  promise: 'limits hold across processes',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(10), config: { max_concurrent_calls: 10 } });
    assert.equal((await claimed(world)).length, 10);
    await world.organization.clients.admin.setConfig(campaignId, { calls_per_second: 1 });
    // Checked before any gate could refuse the claims.
    const claims = (await world.recipients()).filter((recipient) => recipient.state === 'claimed');
    assert.equal(claims.length, 0, `${claims.length} claims outlived their pace`);
  },
};

/**
 * Two protections cover this: the pace releases claims, and the gate requires a slot. Either one suffices, so the mutation removes both.
 * `paceReturnsClaims` and the condition `no_slot` test each one separately.
 */
export const campaignPaceAtFullSpeed: Scenario = {
  name: 'a campaign gets a pace while two workers dial as fast as they can',
  promise: 'limits hold across processes',
  async run(world) {
    const people = 120;
    const campaignId = await world.campaign({
      numbers: numbersOf(people),
      config: { max_concurrent_calls: people },
    });
    const jobs = await claimed(world);
    const workers = [world.engine, world.openEngine('other')];
    const isHalfWay = Promise.withResolvers<void>();
    const lane = async (n: number) => {
      for (let job = jobs.shift(); job; job = jobs.shift()) {
        await workers[n % workers.length]?.run(job);
        if (jobs.length < people / 2) isHalfWay.resolve();
      }
    };
    const lanes = [0, 1, 2, 3].map(lane);
    await isHalfWay.promise;
    await world.organization.clients.admin.setConfig(campaignId, { calls_per_second: 1 });
    const answeredAt = (await engineNow(world.db)).getTime();
    await Promise.all(lanes);
    const gates = (await world.calls()).map((call) => call.gated_at?.getTime() ?? 0);
    const most = mostInASecond(gates.filter((at) => at > answeredAt));
    assert.ok(gates.length >= people / 4, `only ${gates.length} gates opened before the change`);
    assert.ok(most <= 1, `${most} gates within a second, 1 allowed`);
  },
};

export const retryTakenAway: Scenario = {
  name: 'retries are claimed while a config removes them',
  promise: 'no dial after no',
  async run(world) {
    const campaignId = await world.campaign({ config: { call_back_attempts: 1 } });
    await world.engine.settle();
    const [call] = world.accepted();
    assert.ok(call);
    await world.event(call.callId, 'call.ended', { outcome: 'busy' });
    await world.clock.advance(2_000);
    world.jobs.take();
    // The change cannot see claims that are not committed yet.
    const release = await blockCommits(world, 'update on campaign_recipients');
    const advancing = world.engine.run({ job: 'advance-campaign', payload: { campaign_id: campaignId } });
    await world.untilBlocked('worker');
    const changing = world.organization.clients.admin.setConfig(campaignId, { call_back_attempts: 0 });
    await Promise.race([changing, world.untilBlocked('scenario')]);
    await release();
    await Promise.all([advancing, changing]);
    // The change waited for the claim, released it and replanned its recipient, so no claim reaches the gate.
    assert.equal((await world.recipients())[0]?.state, 'done', 'a removed retry is still claimed');
    await world.engine.settle();
    assert.equal(world.accepted().length, 1, 'a retry was dialed that the config had removed');
    assert.equal((await world.recipients())[0]?.state, 'done');
    assert.deepEqual(await outboxFaults(world.db), []);
  },
};

export const jobsTwiceAtFullSpeed: Scenario = {
  name: 'every job is delivered three times, to two processes, while all run',
  promise: 'one attempt, one call',
  async run(world) {
    await world.campaign({ numbers: numbersOf(60), config: { max_concurrent_calls: 60 } });
    const jobs = await claimed(world);
    assert.equal(jobs.length, 60);
    const other = world.openEngine('other');
    await Promise.all(jobs.flatMap((job) => [world.engine.run(job), other.run(job), world.engine.run(job)]));
    assert.equal(world.accepted().length, 60);
    assert.ok(
      world.accepted().every((call) => call.posts.length === 1),
      'a call was sent twice',
    );
  },
};
