import assert from 'node:assert/strict';
import { engineNow, setPersonCaps } from '@outdial/db';
import { applyReports, createDialer } from '@outdial/engine';
import { sql } from 'kysely';
import { waitFor } from '../../support/stack/wait-for.ts';
import { countDeadlocks } from './deadlocks.ts';
import { blockCommits, heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { firstNumber } from './world.ts';

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
