import assert from 'node:assert/strict';
import { engineNow, lockDials, openAdvances, setPersonCaps } from '@outdial/db';
import { answerInboundCall, applyReports, createDialer } from '@outdial/engine';
import { sql } from 'kysely';
import { makeOrganization } from '../../support/stack/organization.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { countDeadlocks } from './deadlocks.ts';
import { blockCommits, heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { firstNumber, type ScenarioWorld } from './world.ts';

/** The transaction that chooses and dials recipients, beside other work. */

const numbersOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `+1555100${String(n).padStart(4, '0')}`);

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
    const at = await engineNow(world.db);
    const fact = { kind: 'ended' as const, eventId: 'end', at, outcome: 'completed' as const, details: {} };
    const ended = applyReports(ends.deps, [{ callId: call.pass.callId, facts: [fact] }]);
    await world.untilBlocked('ends');
    const dialed = dials.dial(dialing);
    await world.untilBlocked('dials');
    await release();
    await Promise.all([ended, dialed]);
    assert.equal(await countDeadlocks(world, ['ends', 'dials']), 0, 'the end and the dial deadlocked');
    await world.countersAgree();
  },
};

export const brokenBesideOthers: Scenario = {
  name: 'one of three campaigns cannot be dialed, and they share the places of a worker',
  promise: 'no recipient is forgotten',
  async run(world) {
    await world.clock.stop();
    const numbers = numbersOf(3);
    const ids = [];
    for (const number of numbers) ids.push(await world.campaign({ numbers: [number] }));
    const [broken = ''] = ids;
    // Not the fault of a person, who would be set aside.
    await sql
      .raw(
        `create function refuse() returns trigger language plpgsql as $$
           begin raise exception 'broken' using errcode = '55000'; end $$;
         create trigger broken before insert on calls for each row when (new.phone_number = '${numbers[0]}')
           execute function refuse()`,
      )
      .execute(world.db);
    const dialer = createDialer(world.engine.deps, { placesOfProvider: 2 });
    await dialer.advance(broken);
    dialer.wake(ids);
    await waitFor('the other campaigns have their calls', () => world.accepted().length === 2, {
      withinMs: 8_000,
    });
    await dialer.close();
    const { rows } = await sql<{ waiting_for: string; failures: number; waits: boolean }>`
      select waiting_for, failures, wake_at > engine_now() as waits from campaign_runtime
      where campaign_id = ${broken}`.execute(world.db);
    assert.deepEqual(rows, [{ waiting_for: 'error', failures: 2, waits: true }]);
    await sql`drop trigger broken on calls`.execute(world.db);
    await world.clock.advance(5_000);
    await world.sweep();
    await world.engine.settle();
    assert.equal(world.accepted().length, 3);
  },
};

export const placesBeforeTheDial: Scenario = {
  name: 'a carrier answers no send, and more recipients are due than a worker has places',
  promise: 'no dial after no',
  async run(world) {
    const campaignId = await world.campaign({ numbers: numbersOf(5) });
    const { deps } = world.engine;
    const gateway = deps.providers.get('gateway');
    assert.ok(gateway);
    const answer = Promise.withResolvers<void>();
    let asked = 0;
    const silent: typeof gateway = {
      ...gateway,
      async place() {
        asked += 1;
        await answer.promise;
        return { kind: 'ambiguous', reason: 'no answer' };
      },
    };
    const dialer = createDialer(
      { ...deps, providers: new Map([['gateway', silent]]) },
      { placesOfProvider: 2 },
    );
    dialer.wake([campaignId]);
    await waitFor('the places are in use', () => asked >= 2);
    await world.organization.clients.manager.setStatus(campaignId, 'paused');
    const committed = (await world.calls()).length;
    answer.resolve();
    await dialer.close();
    assert.equal(committed, 2, 'more calls were committed than could be sent at once');
    assert.equal((await world.calls()).length, 2, 'a call was dialed after the pause was answered');
    assert.equal(asked, 2);
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
    const isLocked = Promise.withResolvers<void>();
    const thaws = Promise.withResolvers<void>();
    const freezing = frozen.db.transaction().execute(async (tx) => {
      const views = await openAdvances(tx, [campaignId], { waits: true });
      assert.equal(views.length, 1);
      await lockDials(tx, views);
      isLocked.resolve();
      await thaws.promise;
    });
    freezing.catch(() => undefined);
    await isLocked.promise;
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
    thaws.resolve();
    assert.notEqual(dialed, 'late', 'the rows of a frozen worker stayed locked');
    await assert.rejects(freezing);
  },
};

/** How many transactions of workers wait for a lock. */
async function dialsThatWait(world: ScenarioWorld): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'worker' and wait_event_type = 'Lock'`.execute(
    world.db,
  );
  return rows[0]?.count ?? 0;
}

export const heldCampaignDelaysNobody: Scenario = {
  name: 'a campaign waits for a long change of it, and another one of its organization dials',
  promise: 'concurrent requests do not fail each other',
  async run(world) {
    const [one = '', other = ''] = numbersOf(2);
    const held = await world.campaign({ numbers: [one] });
    const free = await world.campaign({ numbers: [other] });
    const release = await heldBy(world, sql`update campaigns set updated_at = updated_at where id = ${held}`);
    const dialer = createDialer(world.engine.deps, { placesOfProvider: 20 });
    dialer.wake([held]);
    await waitFor('the dial that waits', async () => (await dialsThatWait(world)) > 0);
    dialer.wake([free]);
    try {
      await waitFor('the call of the other campaign', () => world.accepted().length === 1, {
        withinMs: 5_000,
      });
    } finally {
      await release();
    }
    await waitFor('the call of the first one', () => world.accepted().length === 2);
    await dialer.close();
  },
};

export const heldOrganizationDelaysNobody: Scenario = {
  name: 'all campaigns of an organization wait for long changes of them, and another organization dials',
  promise: 'concurrent requests do not fail each other',
  async run(world) {
    const numbers = numbersOf(6);
    const ids = [];
    for (const number of numbers.slice(1)) ids.push(await world.campaign({ numbers: [number] }));
    const other = await makeOrganization(world.db, {
      baseUrl: world.baseUrl,
      now: await engineNow(world.db),
      change: { timezone: 'UTC' },
    });
    const { admin } = other.clients;
    const { id: ofOther } = await admin.createCampaign({
      name: 'of another organization',
      agent_id: other.agentId,
      phone_numbers: numbers.slice(0, 1),
      start_date: '2027-01-01T00:00:00Z',
    });
    await admin.setConfig(ofOther, { call_on_weekend: true });
    await admin.setStatus(ofOther, 'running');
    // Each campaign has a transaction of its own, which waits.
    const release = await heldBy(
      world,
      sql`update campaigns set updated_at = updated_at where organization_id = ${world.organization.id}`,
    );
    const dialer = createDialer(world.engine.deps, { placesOfProvider: 20 });
    dialer.wake(ids);
    const waiting = () => dialsThatWait(world);
    await waitFor('dials that wait', async () => (await waiting()) > 0);
    // If the organization had more turns, it would take all of them.
    await waitFor('a turn too many', async () => (await waiting()) > 3, { withinMs: 2_000 }).catch(
      () => undefined,
    );
    dialer.wake([ofOther]);
    try {
      await waitFor('the call of the other organization', () => world.accepted().length === 1, {
        withinMs: 5_000,
      });
    } finally {
      await release();
    }
    await waitFor('the calls of the first one', () => world.accepted().length === numbers.length);
    await dialer.close();
  },
};
