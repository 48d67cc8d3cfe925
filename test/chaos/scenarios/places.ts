import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';
import assert from 'node:assert/strict';
import { engineNow, setProvider } from '@outdial/db';
import { createDialer } from '@outdial/engine';
import { sql } from 'kysely';
import { makeOrganization } from '../../support/stack/organization.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import { numbersOf, type ScenarioWorld } from './world.ts';

/** The places of a worker, which its campaigns, organizations and carriers share. */

/** A worker's dependencies with a carrier that answers no send before it is told to. */
function silentCarrier(world: ScenarioWorld, name: string) {
  const { deps } = world.engine;
  const gateway = deps.providers.get('gateway');
  assert.ok(gateway);
  const answered = Promise.withResolvers<void>();
  const provider: typeof gateway = {
    ...gateway,
    name,
    async place() {
      carrier.sends += 1;
      await answered.promise;
      return { kind: 'ambiguous', reason: 'no answer' };
    },
  };
  const carrier = {
    sends: 0,
    answer: answered.resolve,
    deps: { ...deps, providers: new Map([...deps.providers, [name, provider]]) },
  };
  return carrier;
}

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
    const carrier = silentCarrier(world, 'gateway');
    const dialer = createDialer(carrier.deps, { placesOfProvider: 2 });
    dialer.wake([campaignId]);
    await waitFor('the places are in use', () => carrier.sends >= 2);
    await world.organization.clients.manager.setStatus(campaignId, 'paused');
    const committed = (await world.calls()).length;
    carrier.answer();
    await dialer.close();
    assert.equal(committed, 2, 'more calls were committed than could be sent at once');
    assert.equal((await world.calls()).length, 2, 'a call was dialed after the pause was answered');
    assert.equal(carrier.sends, 2);
  },
};

export const slowBesideFast: Scenario = {
  name: 'a carrier answers no send, and a campaign of another carrier begins in the same worker',
  promise: 'no recipient is forgotten',
  async run(world) {
    const changes = { adapter: 'gateway', maxLines: null, callsPerSecond: null };
    await setProvider(world.db, { name: 'slow', changes, now: await engineNow(world.db) });
    const [one = '', other = ''] = numbersOf(2);
    const slow = await world.campaign({ numbers: [one] });
    const fast = await world.campaign({ numbers: [other] });
    await sql`update campaign_runtime set provider = 'slow' where campaign_id = ${slow}`.execute(world.db);
    world.jobs.take();

    const carrier = silentCarrier(world, 'slow');
    // One place, which the slow carrier keeps.
    const dialer = createDialer(carrier.deps, { placesOfProvider: 1 });
    try {
      await dialer.advance(slow);
      await waitFor('the slow carrier has a call', () => carrier.sends === 1);
      dialer.wake([fast]);
      await waitFor('the other carrier has its call', () => world.accepted().length === 1, {
        withinMs: 4_000,
      });
      assert.equal(carrier.sends, 1);
    } finally {
      carrier.answer();
      await dialer.close();
    }
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
  name: 'a campaign waits for a long change of it, and others of its organization dial',
  promise: 'concurrent requests do not fail each other',
  async run(world) {
    // Campaigns with caller ids have a transaction each.
    await addConfirmedCallerId(world.db, world.organization.id, { calls_per_day: 100 });
    const [one = '', ...others] = numbersOf(3);
    const held = await world.campaign({ numbers: [one] });
    const free = [];
    for (const other of others) free.push(await world.campaign({ numbers: [other] }));
    const release = await heldBy(world, sql`update campaigns set updated_at = updated_at where id = ${held}`);
    const dialer = createDialer(world.engine.deps, { placesOfProvider: 20 });
    dialer.wake([held]);
    await waitFor('the dial that waits', async () => (await dialsThatWait(world)) > 0);
    dialer.wake(free);
    try {
      await waitFor('the calls of the other campaigns', () => world.accepted().length === free.length, {
        withinMs: 5_000,
      });
    } finally {
      await release();
    }
    await waitFor('the call of the first one', () => world.accepted().length === free.length + 1);
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
    // If they waited in the turns of all, they would take them.
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
