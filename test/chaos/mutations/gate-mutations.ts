import type { Mutation } from './mutation.ts';

const gate = 'db/src/engine/gate.ts';

export const gateMutations: readonly Mutation[] = [
  {
    name: 'gate-without-claim',
    takesOut: 'the gate asks whether the claim is the live one',
    caughtBy: 'staleClaim',
    edits: [
      {
        file: gate,
        find: "where r.state = 'claimed' and r.claim_id = x.claim_id and r.attempts + 1 = x.attempt\n",
        replace: "where r.state = 'claimed'\n",
      },
    ],
  },
  {
    name: 'gate-without-window',
    takesOut: 'the gate holds the instant against the window',
    caughtBy: 'windowCloses',
    edits: [
      {
        file: gate,
        find: 'on w.zone = t.timezone and t.now >= w.opens_at and t.now < w.closes_at',
        replace: 'on w.zone = t.timezone',
      },
    ],
  },
  {
    name: 'gate-without-revision',
    takesOut: 'the gate asks whether the campaign runs, and at the revision that was read',
    caughtBy: 'configChange',
    edits: [{ file: gate, find: "and status = 'running' and revision = ${terms.revision}", replace: '' }],
  },
  {
    name: 'gate-without-share-lock',
    takesOut: 'a change waits for gates that are open',
    caughtBy: 'changeWaitsForGates',
    edits: [{ file: gate, find: '      for share of campaigns),', replace: '),' }],
  },
  {
    name: 'gate-without-lease',
    takesOut: 'the gate asks whether the lease still holds',
    caughtBy: 'leaseRunsOut',
    edits: [{ file: gate, find: 'where t.now < t.lease_expires_at', replace: 'where true' }],
  },
  {
    name: 'gate-without-suppressions',
    takesOut: 'the gate reads the suppression list',
    caughtBy: 'suppressedMeanwhile',
    edits: [
      {
        file: gate,
        find: 'where s.organization_id = t.organization_id and s.phone_number = t.phone_number)),',
        replace: 'where false)),',
      },
    ],
  },
  {
    name: 'send-without-deadline',
    takesOut: 'a send that has not begun in time is not made',
    caughtBy: 'slowAnswerOfTheGate',
    edits: [
      {
        file: 'packages/engine/src/calls/send-call.ts',
        find: 'performance.now() - call.gateBeganAtMs > sendStartMs',
        replace: 'performance.now() < 0',
      },
    ],
  },
  {
    name: 'pace-ignored',
    takesOut: 'slots of time',
    caughtBy: 'paceHolds',
    edits: [
      {
        file: 'packages/engine/src/pacing/pace.ts',
        find: 'if (pace.callsPerSecond === null) return null;',
        replace: 'if (pace.callsPerSecond !== 0) return null;',
      },
    ],
  },
  {
    name: 'gate-without-slot',
    takesOut: 'the gate waits for the slot of time',
    caughtBy: 'paceHolds',
    edits: [
      {
        file: gate,
        find: '(t.now >= t.slot_at and t.now <= t.slot_at +',
        replace: '(true or t.now <= t.slot_at +',
      },
    ],
  },
];
