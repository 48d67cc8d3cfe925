import assert from 'node:assert/strict';
import {
  addNumberChanges,
  addNumberQueries,
  addRuleVersion,
  addSuppressions,
  addToScrubList,
  type Db,
  engineNow,
  inTransaction,
  revokeConsent,
  setPersonCaps,
  suppressEverywhere,
  updateCallerId,
  updateOrganization,
} from '@outdial/db';
import { sql } from 'kysely';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';
import { giveConsent } from '../../support/give-consent.ts';
import { allowOnlyAmerica } from './allow-only-america.ts';
import { blockCommits } from './held-by.ts';
import { callBlocker, gatedNumber, isAnsweredEarly, openGate } from './open-gate.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

/** Changes of what a gate has read, while the gate is open: each is answered after the gate has committed. */

const now = new Date('2027-03-01T12:00:00Z');
const suppressions = [{ phoneNumber: gatedNumber, reason: null }];

/** `prepare` runs before the gate, and returns the change. */
function waitsForGates(args: {
  name: string;
  promise?: string;
  config?: Record<string, unknown>;
  prepare: (world: ScenarioWorld) => Promise<(db: Db) => Promise<unknown>>;
  after?: (world: ScenarioWorld) => Promise<void>;
}): Scenario {
  return {
    name: args.name,
    promise: args.promise ?? 'no dial after no',
    async run(world) {
      await callBlocker(world);
      const change = await args.prepare(world);
      const wasEarly = await isAnsweredEarly(world, await openGate(world, args.config), change);
      assert.ok(!wasEarly, 'the change was answered before a gate that had not read it committed');
      await args.after?.(world);
    },
  };
}

export const suppressionWaitsForGates = waitsForGates({
  name: 'a number is suppressed while a gate that has read the list is not committed',
  prepare: ({ organization }) =>
    Promise.resolve((db) => addSuppressions(db, { organizationId: organization.id, suppressions })),
});

export const everywhereWaitsForGates = waitsForGates({
  name: 'a number is suppressed for the whole installation while a gate that has passed it is not committed',
  prepare: () => Promise.resolve((db) => inTransaction(db, (tx) => suppressEverywhere(tx, suppressions))),
});

async function dialIsInLedger(world: ScenarioWorld): Promise<void> {
  const { rows } = await sql<{ dials: number }>`
    select cardinality(dialed_at) as dials from called_people where phone_number = ${gatedNumber}`.execute(
    world.db,
  );
  assert.deepEqual(rows, [{ dials: 1 }], 'the dial of the open gate is not in the ledger');
}

export const capsMeetGate = waitsForGates({
  name: 'caps are set while a gate that has not read them is open',
  promise: 'caps per person hold across campaigns',
  prepare: ({ organization: { id: organizationId } }) =>
    Promise.resolve((db) =>
      setPersonCaps(db, { organizationId, change: { calls: [{ calls: 1, hours: 24 }] }, now }),
    ),
  after: dialIsInLedger,
});

export const policyMeetsGate = waitsForGates({
  name: 'a calling policy is set, whose caps hold from then on, while a gate is open that has not read them',
  promise: 'caps per person hold across campaigns',
  prepare: ({ organization }) =>
    Promise.resolve((db) =>
      inTransaction(db, (tx) => updateOrganization(tx, organization.id, { calling_policy: 'standard' }, now)),
    ),
  after: dialIsInLedger,
});

export const revocationWaitsForGates = waitsForGates({
  name: 'a consent is revoked while a gate that relies on it is not committed',
  config: { require_consent: true },
  async prepare(world) {
    const [consentId = ''] = await giveConsent(world.db, world.organization.id, [gatedNumber]);
    const revocation = { organizationId: world.organization.id, consentId, reason: null, revokedBy: null };
    return (db) => inTransaction(db, (tx) => revokeConsent(tx, revocation));
  },
});

export const numberChangeWaitsForGates = waitsForGates({
  name: 'a number is reassigned while a gate that relies on an earlier consent is not committed',
  config: { require_consent: true },
  async prepare(world) {
    await giveConsent(world.db, world.organization.id, [gatedNumber]);
    const changedAt = await engineNow(world.db);
    const change = {
      phone_number: gatedNumber,
      kind: 'reassigned' as const,
      changed_at: changedAt,
      source: 'a registry',
    };
    const organizationId = world.organization.id;
    return (db) =>
      inTransaction(db, (tx) => addNumberChanges(tx, { organizationId, createdBy: null, changes: [change] }));
  },
});

export const numberQueryWaitsForGates = waitsForGates({
  name: 'a registry no longer knows whether a number was given up, while a gate that relies on its answer of before is not committed',
  config: { reassigned_query_days: 30 },
  async prepare({ db: before, organization: { id: organizationId } }) {
    const add = (db: Db, answer: 'no' | 'no_data', queriedAt: Date) =>
      inTransaction(db, (tx) =>
        addNumberQueries(tx, {
          organizationId,
          createdBy: null,
          queries: [
            { phone_number: gatedNumber, answer, queried_at: queriedAt, since: null, source: 'a registry' },
          ],
        }),
      );
    const queriedAt = await engineNow(before);
    await add(before, 'no', queriedAt);
    return (db) => add(db, 'no_data', queriedAt);
  },
});

export const scrubListWaitsForGates = waitsForGates({
  name: 'a number is added to a scrub list while a gate that has not read it is open',
  config: { scrub_lists: ['registry'] },
  async prepare(world) {
    const importNumbers = (db: Db, phoneNumbers: string[], isComplete: boolean) =>
      inTransaction(db, async (tx) =>
        addToScrubList(tx, {
          organizationId: world.organization.id,
          name: 'registry',
          source: 'a registry',
          account: null,
          scrubbedAt: await engineNow(tx),
          phoneNumbers,
          isComplete,
          isChecked: false,
        }),
      );
    await importNumbers(world.db, [], true);
    // A part, because the last one of a list also waits for the campaigns that need it, to wake them.
    return (db) => importNumbers(db, [gatedNumber], false);
  },
});

const importRules = (db: Db) =>
  inTransaction(db, (tx) => addRuleVersion(tx, { version: 'acme-1', pins: {}, rules: [] }));

export const rulesWaitForGates = waitsForGates({
  name: 'rules of law are imported while a gate that decides by those of before is not committed',
  prepare: () => Promise.resolve(importRules),
});

export const retirementWaitsForGates = waitsForGates({
  name: 'a caller id is retired while a gate that calls from it has not committed',
  async prepare(world) {
    const organizationId = world.organization.id;
    const callerId = await addConfirmedCallerId(world.db, organizationId);
    const change = { state: 'retired' as const, state_reason: null, resting_until: null };
    return (db) => inTransaction(db, (tx) => updateCallerId(tx, { organizationId, callerId, change, now }));
  },
});

function waitsForDirectGates(
  name: string,
  change: (world: ScenarioWorld, db: Db) => Promise<unknown>,
): Scenario {
  return {
    name,
    promise: 'no dial after no',
    async run(world) {
      const { member } = world.organization.clients;
      await member.makeCall(world.organization.agentId, { to_phone: '+442079460958' });
      const [job] = world.jobs.take('place-call');
      assert.ok(job);
      const release = await blockCommits(world, 'update on calls');
      const deciding = world.engine.run(job);
      await world.untilBlocked('worker');
      const wasEarly = await isAnsweredEarly(world, { release, deciding }, (db) => change(world, db));
      assert.ok(!wasEarly, 'the change was answered while a gate was open that had not read it');
    },
  };
}

export const limitsWaitForDirectGates = waitsForDirectGates(
  'the countries of an organization are limited while the gate of a direct call has not committed',
  allowOnlyAmerica,
);

export const rulesWaitForDirectGates = waitsForDirectGates(
  'rules of law are imported while the gate of a direct call has not committed',
  (_, db) => importRules(db),
);
