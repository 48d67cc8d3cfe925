import assert from 'node:assert/strict';
import {
  addConsents,
  addNumberChanges,
  inTransaction,
  revokeConsent,
  setPersonCaps,
  type Tx,
  updateOrganization,
} from '@outdial/db';
import { sql } from 'kysely';
import { heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

/** Caps on the calls to a person, over all campaigns. */

const [blocker, before, person] = ['+15551000000', '+15551000001', '+15551000002'] as const;

const advances = (world: ScenarioWorld) => world.jobs.take('advance-campaign');

/** An open transaction changes another live call to the number `before`, so an insert of a call to `before` waits for it. */
const lockNumber = (world: ScenarioWorld) =>
  heldBy(world, sql`update calls set phone_number = ${before} where phone_number = ${blocker}`);

/** Ends the call in progress to a number, if there is one, as unanswered. */
async function endCallTo(world: ScenarioWorld, phoneNumber: string): Promise<void> {
  const live = (await world.calls()).find(
    (call) => call.phone_number === phoneNumber && call.phase !== 'ended',
  );
  if (live) await world.event(live.id, 'call.ended', { outcome: 'no_answer' });
}

export const capMeetsGates: Scenario = {
  name: 'two campaigns dial one person at once, and the call of one ends while the gate of the other decides',
  promise: 'caps per person hold across campaigns',
  async run(world) {
    await setPersonCaps(world.db, {
      organizationId: world.organization.id,
      change: { calls: [{ calls: 1, hours: 24 }] },
      now: new Date('2027-03-01T12:00:00Z'),
    });
    // The person was called last week, so the ledger has a row, and neither gate waits for the other's insert of it.
    await sql`
      insert into called_people (organization_id, phone_number, dialed_at, campaign_ids)
      select ${world.organization.id}, ${person}, array[engine_now() - interval '7 days'], array[gen_random_uuid()]`.execute(
      world.db,
    );
    await world.campaign({ numbers: [blocker] });
    for (const job of advances(world)) await world.engine.run(job);
    await world.campaign({ numbers: [before, person] });
    await world.campaign({ numbers: [person] });
    const [both, quick] = advances(world);
    assert.ok(both && quick);
    const release = await lockNumber(world);
    // One statement decides for both numbers. It has read the ledger before the other call, and blocks on the insert of the call to the first number.
    const deciding = world.engine.run(both);
    await world.untilBlocked('worker');
    const other = world.openEngine('other');
    const placing = other.run(quick);
    await Promise.race([placing, world.untilBlocked('other')]);
    await endCallTo(world, person);
    await release();
    await Promise.all([deciding, placing]);
    await endCallTo(world, person);
    await world.campaign({ numbers: [person] });
    for (const job of advances(world)) await world.engine.run(job);
    const gated = (await world.calls()).filter((call) => call.phone_number === person && call.gated_at);
    assert.equal(gated.length, 1, 'a person was called more often than the cap allows');
  },
};

export const capsMeetGate: Scenario = {
  name: 'caps are set while a gate that has not read them is open',
  promise: 'caps per person hold across campaigns',
  async run(world) {
    await world.campaign({ numbers: [blocker] });
    for (const job of advances(world)) await world.engine.run(job);
    await world.campaign({ numbers: [before] });
    const jobs = advances(world);
    const release = await lockNumber(world);
    const deciding = Promise.all(jobs.map((job) => world.engine.run(job)));
    await world.untilBlocked('worker');
    const setter = world.openEngine('setter');
    let isSet = false;
    const setting = setPersonCaps(setter.db, {
      organizationId: world.organization.id,
      change: { calls: [{ calls: 1, hours: 24 }] },
      now: new Date('2027-03-01T12:00:00Z'),
    }).then(() => (isSet = true));
    await Promise.race([setting, world.untilBlocked('setter')]);
    assert.ok(!isSet, 'caps were set before a gate that had not read them committed');
    await release();
    await Promise.all([deciding, setting]);
    const { rows } = await sql<{ dials: number }>`
      select cardinality(dialed_at) as dials from called_people where phone_number = ${before}`.execute(
      world.db,
    );
    assert.deepEqual(rows, [{ dials: 1 }], 'the dial of the open gate is not in the ledger');
  },
};

export const policyMeetsGate: Scenario = {
  name: 'a calling policy is set, whose caps hold from then on, while a gate is open that has not read them',
  promise: 'caps per person hold across campaigns',
  async run(world) {
    await world.campaign({ numbers: [blocker] });
    for (const job of advances(world)) await world.engine.run(job);
    await world.campaign({ numbers: [before] });
    const jobs = advances(world);
    const release = await lockNumber(world);
    const deciding = Promise.all(jobs.map((job) => world.engine.run(job)));
    await world.untilBlocked('worker');
    const setter = world.openEngine('setter');
    let isSet = false;
    const now = new Date('2027-03-01T12:00:00Z');
    const setting = inTransaction(setter.db, (tx) =>
      updateOrganization(tx, world.organization.id, { callingPolicy: 'standard' }, now),
    ).then(() => (isSet = true));
    await Promise.race([setting, world.untilBlocked('setter')]);
    const wasEarly = isSet;
    await release();
    await Promise.all([deciding, setting]);
    assert.ok(!wasEarly, 'a policy was set before a gate that had not read its caps committed');
    const { rows } = await sql<{ dials: number }>`
      select cardinality(dialed_at) as dials from called_people where phone_number = ${before}`.execute(
      world.db,
    );
    assert.deepEqual(rows, [{ dials: 1 }], 'the dial of the open gate is not in the ledger');
  },
};

/** A consent is ended while a gate that relies on it is not committed. */
function consentEnds(
  name: string,
  end: (tx: Tx, of: { organizationId: string; consentId: string }) => Promise<unknown>,
): Scenario {
  return {
    name,
    promise: 'no dial after no',
    run: (world) => endConsentAtGate(world, end),
  };
}

export const revocationWaitsForGates: Scenario = consentEnds(
  'a consent is revoked while a gate that relies on it is not committed',
  (tx, of) => revokeConsent(tx, { ...of, reason: null, revokedBy: null }),
);

export const numberChangeWaitsForGates: Scenario = consentEnds(
  'a number is reassigned while a gate that relies on an earlier consent is not committed',
  (tx, { organizationId }) =>
    addNumberChanges(tx, {
      organizationId,
      createdBy: null,
      changes: [
        {
          phoneNumber: before,
          kind: 'reassigned',
          changedAt: new Date('2027-02-01T00:00:00Z'),
          source: 'a registry',
        },
      ],
    }),
);

async function endConsentAtGate(
  world: ScenarioWorld,
  end: (tx: Tx, of: { organizationId: string; consentId: string }) => Promise<unknown>,
): Promise<void> {
  await world.campaign({ numbers: [blocker] });
  for (const job of advances(world)) await world.engine.run(job);
  const { id: organizationId } = world.organization;
  const [consentId = ''] = await addConsents(world.db, {
    organizationId,
    createdBy: null,
    consents: [
      {
        phoneNumber: before,
        basis: 'prior_express',
        scope: null,
        textShown: null,
        source: 'a form',
        evidenceHash: null,
        givenAt: new Date('2027-01-01T00:00:00Z'),
        expiresAt: null,
      },
    ],
  });
  await world.campaign({ numbers: [before], config: { require_consent: true } });
  const jobs = advances(world);
  const release = await lockNumber(world);
  const deciding = Promise.all(jobs.map((job) => world.engine.run(job)));
  await world.untilBlocked('worker');
  const revoker = world.openEngine('revoker');
  let isRevoked = false;
  const revoking = inTransaction(revoker.db, (tx) => end(tx, { organizationId, consentId })).then(
    () => (isRevoked = true),
  );
  await Promise.race([revoking, world.untilBlocked('revoker')]);
  const wasEarly = isRevoked;
  await release();
  await Promise.all([deciding, revoking]);
  assert.ok(!wasEarly, 'the end of a consent was answered before a gate that relied on it committed');
}
