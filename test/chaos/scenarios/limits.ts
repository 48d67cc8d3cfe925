import assert from 'node:assert/strict';
import { engineNow, inTransaction, setProvider, updateOrganization } from '@outdial/db';
import { sql } from 'kysely';
import { blockCommits, heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { numbersOf, type ScenarioWorld } from './world.ts';

async function linesOf(world: ScenarioWorld): Promise<number[]> {
  const { rows } = await sql<{ lines: number }>`
    select lines_in_use as lines from providers union all select lines_in_use from organizations`.execute(
    world.db,
  );
  return rows.map((row) => row.lines);
}

export const linesAreCapped: Scenario = {
  name: 'two workers advance two campaigns concurrently that want more lines than there are',
  promise: 'limits hold across processes',
  options: { providerLines: 7, organizationLines: 5 },
  async run(world) {
    const campaigns = [
      await world.campaign({ numbers: numbersOf(20), config: { max_concurrent_calls: 4 } }),
      await world.campaign({ numbers: numbersOf(40).slice(20), config: { max_concurrent_calls: 4 } }),
    ];
    const other = world.openEngine('other');
    const advances = campaigns.flatMap((campaign_id) => {
      const job = { job: 'advance-campaign', payload: { campaign_id } };
      return [world.engine.run(job), other.run(job)];
    });
    await Promise.all(advances);
    await world.engine.settle();
    assert.equal(world.accepted().length, 5);
    for (const lines of await linesOf(world)) assert.equal(lines, 5);
    await world.countersAgree();
    const of = (id: string) => world.accepted().filter((call) => call.campaignId === id).length;
    for (const id of campaigns) assert.ok(of(id) <= 4, 'a campaign has more lines than it may');
  },
};

export const linesAfterTheWait: Scenario = {
  name: "a dial waits for its provider's row while another takes the lines",
  promise: 'limits hold across processes',
  options: { providerLines: 2 },
  async run(world) {
    const [first, second] = [
      await world.campaign({ numbers: numbersOf(2) }),
      await world.campaign({ numbers: numbersOf(4).slice(2) }),
    ];
    const release = await blockCommits(world, 'insert on calls');
    const taking = world.engine.dial(first);
    await world.untilBlocked('worker');
    const late = world.openEngine('late');
    const waiting = late.dial(second);
    await world.untilBlocked('late');
    await release();
    assert.equal((await taking).length, 2);
    assert.deepEqual(await waiting, [], 'a dial took lines that were in use');
    await world.countersAgree();
  },
};

export const databaseRefusesLines: Scenario = {
  name: 'a counter is raised past its cap',
  promise: 'limits hold across processes',
  options: { providerLines: 2, organizationLines: 2 },
  async run(world) {
    await world.campaign();
    for (const statement of [
      sql`update providers set lines_in_use = 3`,
      sql`update organizations set lines_in_use = 3`,
      sql`update campaign_runtime set lines_in_use = 11`,
    ]) {
      await assert.rejects(statement.execute(world.db), /would pass/);
    }
  },
};

export const capSetMidway: Scenario = {
  name: 'a cap is set while calls are in progress and an advance is running',
  promise: 'limits hold across processes',
  async run(world) {
    await world.campaign({ numbers: numbersOf(3), config: { max_concurrent_calls: 2 } });
    await world.engine.settle();
    assert.equal(world.accepted().length, 2);
    await world.campaign({ numbers: numbersOf(9).slice(3), config: { max_concurrent_calls: 6 } });
    const [job] = world.jobs.take();
    assert.ok(job);
    const setting = await world.db.startTransaction().execute();
    await sql`update providers set max_lines = 3`.execute(setting);
    const other = world.openEngine('other');
    const advance = other.run(job);
    await world.untilBlocked('other');
    await setting.commit().execute();
    await advance;
    await world.engine.settle();
    assert.equal(world.accepted().length, 3);
    await world.countersAgree();
    const [first] = world.accepted();
    assert.ok(first);
    assert.equal(await world.event(first.callId, 'call.ended', { outcome: 'completed', duration: 3 }), 200);
    await world.engine.settle();
    assert.equal(world.accepted().length, 4);
    await world.countersAgree();
  },
};

export const quotaRaisedMidway: Scenario = {
  name: 'the quota of a day is raised while an advance finds it used up',
  promise: 'no recipient is forgotten',
  async run(world) {
    const set = (max: number) =>
      inTransaction(world.db, async (tx) => {
        const change = { max_calls_per_day: max };
        await updateOrganization(tx, world.organization.id, change, await engineNow(tx));
      });
    await set(1);
    await world.campaign({ numbers: numbersOf(1) });
    await world.engine.settle();
    const late = await world.campaign({ numbers: numbersOf(3).slice(1) });
    const [job] = world.jobs.take();
    assert.ok(job);
    const release = await heldBy(
      world,
      sql`select from campaign_runtime where campaign_id = ${late} for update`,
    );
    const other = world.openEngine('other');
    const advance = other.run(job);
    await world.untilBlocked('other');
    const raising = set(10);
    // It waits for the advance. If it did not, it would be done by then.
    await Promise.race([raising, new Promise((resolve) => setTimeout(resolve, 500))]);
    await release();
    await Promise.all([advance, raising]);
    await world.sweep();
    await world.engine.settle();
    assert.equal(world.accepted().length, 3);
  },
};

export const gatesAreCounted: Scenario = {
  name: 'a dial follows a dial whose gate uses the pace of a minute',
  promise: 'limits hold across processes',
  async run(world) {
    const rate = 1 / 60;
    const paced = await world.campaign({ numbers: numbersOf(2), config: { calls_per_second: rate } });
    assert.equal((await world.engine.dial(paced)).length, 1);
    assert.deepEqual(await world.engine.dial(paced), [], 'the gate of a campaign was not counted');
    const unpaced = await world.campaign({ numbers: numbersOf(4).slice(2) });
    const changes = { callsPerSecond: rate };
    await setProvider(world.db, { name: 'gateway', changes, now: await engineNow(world.db) });
    assert.equal((await world.engine.dial(unpaced)).length, 1);
    assert.deepEqual(await world.engine.dial(unpaced), [], 'the gate of a provider was not counted');
  },
};

export const directCallsTakeTurns: Scenario = {
  name: 'direct calls wait for the pace of their provider, whose row another transaction holds',
  promise: 'limits hold across processes',
  async run(world) {
    const changes = { callsPerSecond: 1 / 10 };
    await setProvider(world.db, { name: 'gateway', changes, now: await engineNow(world.db) });
    const { member } = world.organization.clients;
    for (const to_phone of numbersOf(3)) await member.makeCall(world.organization.agentId, { to_phone });
    await world.clock.stop();
    const jobs = world.jobs.take('place-call');
    const [first, second, third] = jobs;
    assert.ok(first && second && third);
    const place = async (job: typeof first) => JSON.stringify(await world.engine.run(job));
    const sent = '{"kind":"sent","sent":"accepted"}';
    const waiting = '{"kind":"waiting","reason":"calls_per_second"}';
    assert.equal(await place(first), sent);
    // The turn of the third one comes after the second one, so it does not ask for the row.
    const release = await heldBy(world, sql`select from providers where name = 'gateway' for update`);
    const asking = place(third);
    const isBlocked = await Promise.race([
      asking.then(() => false),
      world.untilBlocked('worker').then(() => true),
    ]);
    await release();
    assert.equal(await asking, waiting);
    assert.ok(!isBlocked, 'a call whose turn has not come waited for the row of the provider');
    for (const next of [second, third]) {
      for (const job of jobs) {
        const isOver = jobs.indexOf(job) < jobs.indexOf(next);
        assert.equal(await place(job), isOver ? '{"kind":"stale"}' : waiting);
      }
      await world.clock.advance(10_000);
      assert.equal(await place(next), sent);
    }
  },
};
