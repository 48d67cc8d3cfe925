import assert from 'node:assert/strict';
import { engineNow, lockDials, openAdvances, setPersonCaps, type Tx } from '@outdial/db';
import { answerInboundCall } from '@outdial/engine';
import { sql } from 'kysely';
import { countDeadlocks } from './deadlocks.ts';
import { endCalls } from './end-calls.ts';
import { blockCommits, heldBy, openTransaction } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { firstNumber, numbersOf, type ScenarioWorld } from './world.ts';

/** The transaction that chooses and dials recipients, beside other work. */

export const heldPersonDelaysNobody: Scenario = {
  name: 'another transaction holds one of the recipients that are due',
  promise: 'no recipient is forgotten',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(3) });
    const release = await heldBy(
      world,
      sql`select from campaign_recipients where phone_number = ${firstNumber} for update`,
    );
    const dialing = world.engine.dial(campaignId);
    const waits = await Promise.race([
      dialing.then(() => false),
      world.untilBlocked('worker').then(() => true),
    ]);
    await release();
    const dialed = await dialing;
    assert.ok(!waits, 'the others waited for a recipient that another transaction held');
    assert.equal(dialed.length, 2);
    assert.equal((await world.engine.dial(campaignId)).length, 1);
  },
};

export const dialsSideBySide: Scenario = {
  name: 'two workers dial one campaign, and the first one has not committed',
  promise: 'limits hold across processes',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(6), config: { max_concurrent_calls: 3 } });
    const release = await blockCommits(world, 'insert on calls');
    const first = world.engine.dial(campaignId);
    await world.untilBlocked('worker');
    const other = world.openEngine('other');
    const second = other.dial(campaignId);
    await world.untilBlocked('other');
    await release();
    const [dialed, more] = await Promise.all([first, second]);
    assert.equal(dialed.length, 3);
    assert.deepEqual(more, [], 'the second worker took lines that were in use');
    await world.countersAgree();
    // The plan of the second one counts the calls of the first one.
    await Promise.all(dialed.map((call) => world.engine.send(call)));
    const ended = dialed[0]?.pass.callId ?? '';
    assert.equal(await world.event(ended, 'call.ended', { outcome: 'completed', duration: 3 }), 200);
    await world.engine.settle();
    assert.equal(world.accepted().length, 4);
  },
};

export const endMeetsDial: Scenario = {
  name: 'a call ends while another campaign dials its number, and both want the row of the organization',
  promise: 'concurrent requests do not fail each other',
  options: { organizationLines: 5 },
  async run(world) {
    await setPersonCaps(world.db, {
      organizationId: world.organization.id,
      change: { calls: [{ calls: 5, hours: 24 }] },
      now: await engineNow(world.db),
    });
    // The end of such a call is written into the ledger of its person, which a dial locks too.
    const ending = await world.campaign({ config: { purpose: 'debt_collection' } });
    const dialing = await world.campaign();
    const [call] = await world.engine.dial(ending);
    assert.ok(call);
    assert.equal(await world.engine.send(call), 'accepted');
    const [ends, dials] = [world.openEngine('ends'), world.openEngine('dials')];
    // The end has locked the person, and not yet the row of the organization.
    const release = await heldBy(
      world,
      sql`select from campaign_runtime where campaign_id = ${ending} for update`,
    );
    const ended = endCalls(ends, [call.pass.callId], 'completed');
    await world.untilBlocked('ends');
    const dialed = dials.dial(dialing);
    await world.untilBlocked('dials');
    await release();
    await Promise.all([ended, dialed]);
    assert.equal(await countDeadlocks(world, ['ends', 'dials']), 0, 'the end and the dial deadlocked');
    await world.countersAgree();
  },
};

/** Where a dial may be when its process dies: what holds it there. */
const steps: Record<string, (world: ScenarioWorld, campaignId: string) => Promise<() => Promise<void>>> = {
  'at the row of its campaign': (world, id) =>
    heldBy(world, sql`select from campaigns where id = ${id} for update`),
  'at what counts its lines': (world, id) =>
    heldBy(world, sql`select from campaign_runtime where campaign_id = ${id} for update`),
  'at its organization': (world) => heldBy(world, sql`select from organizations for update`),
  'at its provider': (world) => heldBy(world, sql`select from providers where name = 'gateway' for update`),
  'at the inserts of its calls': (world) => heldBy(world, sql`lock table calls in share mode`),
  'at its commit': (world) => blockCommits(world, 'insert on calls'),
};

/** What ends a dial: the death of its process, or the timeout of a statement. */
const ends = {
  terminated: sql`pg_terminate_backend(pid)`,
  canceled: sql`pg_cancel_backend(pid)`,
};

export const dialEndsAnywhere: Scenario = {
  name: 'a worker dies, or its statement is canceled, at each step of a dial',
  promise: 'one attempt, one call',
  options: { organizationLines: 9, providerLines: 9 },
  async run(world) {
    const numbers = numbersOf(3);
    const campaignId = await world.campaign({ numbers, config: { calls_per_second: 100 } });
    const [job] = world.jobs.take();
    assert.ok(job);
    const dying = world.openEngine('dying');
    for (const [step, hold] of Object.entries(steps)) {
      const release = await hold(world, campaignId);
      for (const [how, end] of Object.entries(ends)) {
        const dialing = assert.rejects(dying.dial(campaignId), `a dial that was ${how} ${step} did not fail`);
        await world.untilBlocked('dying');
        await sql`
          select ${end} from pg_stat_activity
          where datname = current_database() and application_name = 'dying' and wait_event_type = 'Lock'`.execute(
          world.db,
        );
        await dialing;
      }
      await release();
      assert.deepEqual(await world.calls(), [], `a dial that ended ${step} left a call`);
      for (const { state, attempts } of await world.recipients()) {
        assert.deepEqual([state, attempts], ['pending', 0], `a dial that ended ${step} left an attempt`);
      }
    }
    await world.engine.run(job);
    const called = world.accepted().map((call) => call.toPhone);
    assert.deepEqual(called.toSorted(), numbers, 'not everybody was called once');
    await world.countersAgree();
  },
};

export const callerMeetsDial: Scenario = {
  name: 'a person calls in while a dial of them waits for the row of its provider',
  promise: 'concurrent requests do not fail each other',
  options: { organizationLines: 5, providerLines: 5 },
  async run(world) {
    const campaignId = await world.campaign();
    const { id: organizationId, agentId } = world.organization;
    const toPhone = '+12125550100';
    const config = JSON.stringify({ voice: { mode: 'cascade' } });
    await sql`update agents set config = ${config}::jsonb where id = ${agentId}`.execute(world.db);
    await sql`
      insert into caller_ids (id, organization_id, phone_number, agent_id, state, country, prefixes, calls_per_day, warm_up_days, warm_up_from, created_at, updated_at)
      select new_id(), ${organizationId}, ${toPhone}, ${agentId}, 'active', 'US', '{}', 1, 0, now, now, now from engine_now() as now`.execute(
      world.db,
    );
    const [dials, answers] = [world.openEngine('dials'), world.openEngine('answers')];
    // The dial has locked the row of the organization, and has not written its call.
    const release = await heldBy(world, sql`select from providers where name = 'gateway' for update`);
    const dialing = dials.dial(campaignId);
    await world.untilBlocked('dials');
    const carrier = { name: 'gateway' };
    const answering = answerInboundCall(answers.deps, carrier, {
      conversationId: 'inbound',
      toPhone,
      fromPhone: firstNumber,
    });
    await world.untilBlocked('answers');
    await release();
    const [dialed, answer] = await Promise.all([dialing, answering]);
    assert.equal(await countDeadlocks(world, ['dials', 'answers']), 0, 'the call and the dial deadlocked');
    assert.equal(dialed.length, 1);
    assert.deepEqual(answer, { kind: 'refused', reason: 'number_in_call', isUnknownNumber: false });
    await world.countersAgree();
  },
};

/** Seconds within which interrupted work continues (docs/promises.md). */
const noticedWithinSeconds = 15;

export const frozenWorkerIsLetGo: Scenario = {
  name: 'a worker freezes in the middle of a dial, and keeps its connection',
  promise: 'no recipient is forgotten',
  async run(world) {
    const campaignId = await world.campaign();
    const frozen = world.openEngine('frozen');
    const begin = async (tx: Tx) => {
      const views = await openAdvances(tx, [campaignId], { waits: true });
      assert.equal(views.length, 1);
      await lockDials(tx, views);
    };
    const thaw = await openTransaction(world, begin, { db: frozen.db });
    const isHeld = async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'frozen' and state like 'idle in transaction%'`.execute(
        world.db,
      );
      return rows.length > 0;
    };
    const dialing = world.engine.dial(campaignId);
    const late = Promise.withResolvers<unknown>();
    // A machine may be so busy that the other dial takes longer than the rows were locked.
    const timer = setTimeout(
      () => late.resolve(isHeld().then<unknown>((held) => (held ? 'late' : dialing))),
      noticedWithinSeconds * 1_000,
    );
    const dialed = await Promise.race([dialing, late.promise]);
    clearTimeout(timer);
    assert.notEqual(dialed, 'late', 'the rows of a frozen worker stayed locked');
    await assert.rejects(thaw);
  },
};
