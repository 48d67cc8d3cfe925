import type { Mutation } from './mutation.ts';

const compliance = 'db/migrations/0007_compliance.ts';

export const complianceMutations: readonly Mutation[] = [
  {
    name: 'people-not-held',
    takesOut: 'gates hold the ledger of a person from before they decide to their commit',
    caughtBy: 'capMeetsGates',
    edits: [
      {
        file: 'db/src/compliance/person-caps.ts',
        find: 'do update set phone_number = excluded.phone_number where false',
        replace: 'do nothing',
      },
    ],
  },
  {
    name: 'dials-not-counted',
    takesOut: 'the gate counts the dials of a person',
    caughtBy: 'capMeetsGates',
    edits: [
      {
        file: 'db/src/gate/campaign-gate.ts',
        find: 'where j.has_caps)',
        replace: 'where false)',
      },
    ],
  },
  {
    name: 'policy-past-ledger',
    takesOut: 'the caps of a new calling policy count earlier calls',
    caughtBy: 'policyMeetsGate',
    edits: [
      {
        file: 'db/src/organizations/organizations.ts',
        find: "if (policy !== 'none') await",
        replace: 'if (policy === null) await',
      },
    ],
  },
  {
    name: 'caps-set-past-gates',
    takesOut: 'setting caps waits for gates that have not read them',
    caughtBy: 'capsMeetGate',
    edits: [
      {
        file: compliance,
        find: 'perform pg_advisory_xact_lock(3, hashtext(new.organization_id::text));',
        replace: 'null;',
      },
    ],
  },
  {
    name: 'permits-not-held',
    takesOut: 'concurrent dials of an organization are serialized while they take caller ids',
    caughtBy: 'callerIdsMeetDials',
    edits: [
      {
        file: 'db/src/caller-ids/pool.ts',
        find: 'select ${locks.callerIdPermits.take(organizationId)}',
        replace: 'select 1',
      },
    ],
  },
  {
    name: 'retirement-past-gates',
    takesOut: 'the retirement of a caller id waits for gates that call from it',
    caughtBy: 'retirementWaitsForGates',
    edits: [
      {
        file: compliance,
        find: 'create trigger caller_ids_changed after update on caller_ids referencing new table as changed\n  for each statement execute',
        replace:
          'create trigger caller_ids_changed after update on caller_ids referencing new table as changed\n  for each statement when (false) execute',
      },
    ],
  },
  {
    name: 'abandonment-unheeded',
    takesOut: 'a campaign with abandoned calls gets fewer lines',
    caughtBy: 'abandonmentSlowsDown',
    edits: [
      {
        file: 'packages/engine/src/dial/plans.ts',
        find: 'campaign: { inUse, max },',
        replace: 'campaign: { inUse, max: definition.maxConcurrentCalls },',
      },
    ],
  },
  {
    name: 'abandonment-counted-twice',
    takesOut: 'each answered call counts once as connected or abandoned',
    caughtBy: 'abandonmentSlowsDown',
    edits: [
      {
        file: 'db/src/compliance/abandonment.ts',
        find: 'on conflict do nothing returning campaign_id, is_abandoned, at)',
        replace:
          'on conflict (call_id) do update set at = excluded.at returning campaign_id, is_abandoned, at)',
      },
    ],
  },
  {
    name: 'opt-out-only-noted',
    takesOut: 'an opt-out on a call suppresses its number before it is answered',
    caughtBy: 'optOutOnACall',
    edits: [
      {
        file: 'packages/engine/src/progress/recorder.ts',
        find: 'if (mayOptOut(fact)) await applyOptOut(deps, report.callId, fact);',
        replace: 'if (mayOptOut(fact)) void [applyOptOut, fact];',
      },
    ],
  },
  {
    name: 'waiting-for-suppressed-goes-on',
    takesOut: 'recipients that wait for a suppressed number are ended',
    caughtBy: 'optOutOnACall',
    edits: [
      {
        file: 'packages/engine/src/repair/end-calls.ts',
        find: 'endWaiting(tx, list, suppressionsAtOnce)',
        replace: 'endWaiting(tx, list, 0)',
      },
    ],
  },
  {
    name: 'everywhere-past-gates',
    takesOut: 'a suppression of the whole installation waits for all gates',
    caughtBy: 'everywhereWaitsForGates',
    edits: [
      {
        file: 'db/migrations/0001_base.ts',
        find: 'insert on installation_suppressions\n  for each statement execute',
        replace: 'insert on installation_suppressions\n  for each statement when (false) execute',
      },
    ],
  },
  {
    name: 'scrub-list-past-gates',
    takesOut: 'adding a number to a scrub list waits for gates that have not read it',
    caughtBy: 'scrubListWaitsForGates',
    edits: [
      {
        file: compliance,
        find: 'insert on scrub_list_numbers referencing new table as changed\n  for each statement execute function hold',
        replace:
          'insert on scrub_list_numbers referencing new table as changed\n  for each statement when (false) execute function hold',
      },
    ],
  },
  {
    name: 'number-change-past-gates',
    takesOut: 'recording a number change waits for gates that rely on an earlier consent',
    caughtBy: 'numberChangeWaitsForGates',
    edits: [
      {
        file: compliance,
        find: 'insert on number_changes referencing new table as changed\n  for each statement execute function hold_suppressions',
        replace:
          'insert on number_changes referencing new table as changed\n  for each statement when (false) execute function hold_suppressions',
      },
    ],
  },
  {
    name: 'number-query-past-gates',
    takesOut: 'recording a query of a number waits for gates that rely on an earlier one',
    caughtBy: 'numberQueryWaitsForGates',
    edits: [
      {
        file: 'db/migrations/0019_ages_and_queries.ts',
        find: 'for each statement execute function hold_suppressions',
        replace: 'for each statement when (false) execute function hold_suppressions',
      },
    ],
  },
  {
    name: 'revocation-past-gates',
    takesOut: 'the revocation of a consent waits for gates that rely on it',
    caughtBy: 'revocationWaitsForGates',
    edits: [
      {
        file: compliance,
        find: 'insert on consent_revocations referencing new table as changed\n  for each statement execute function hold_suppressions',
        replace:
          'insert on consent_revocations referencing new table as changed\n  for each statement when (false) execute function hold_suppressions',
      },
    ],
  },
];
