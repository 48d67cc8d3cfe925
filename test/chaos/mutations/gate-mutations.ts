import { gateConditions, type GateReason } from '@outdial/db';
import { gateCallers, type GateCaller } from '../../support/gates/gate-callers.ts';
import { gateCases } from '../../support/gates/gate-cases.ts';
import type { Edit, Mutation } from './mutation.ts';

const campaignGate = 'db/src/engine/gate/campaign-gate.ts';
const repeatGate = 'db/src/engine/gate/repeat-gate.ts';
const queuedGate = 'db/src/engine/gate/queued-gate.ts';
const directGate = 'db/src/engine/gate/direct-gate.ts';

/** Removes one condition from one gate. If several callers share the gate, `isElse` holds for the others. */
function without(reason: GateReason, file: string, isElse = ''): Edit {
  return {
    file,
    find: 'refusalOf(gateConditions)',
    replace: `refusalOf(gateConditions.filter((one) => ${isElse && `${isElse} || `}one.reason !== '${reason}'))`,
  };
}

const noQueue: Edit = {
  file: campaignGate,
  find: '${sharedCampaign(organization, sql`${campaignId}::uuid`)}',
  replace: 'null as sharing',
};

const noSharedList: Edit = {
  file: campaignGate,
  find: '${sharedSuppressions(organization)}',
  replace: 'null as listed',
};

const claimsKept: Edit = {
  file: 'packages/engine/src/campaigns/campaign-config.ts',
  find: '  await returnClaims(tx, await findCampaignClaims(tx, args.campaignId, now), now);',
  replace: '',
};

const gates: Record<GateCaller, { file: string; isElse?: string; caughtBy: string }> = {
  'first placement': { file: campaignGate, caughtBy: 'conditionsOfFirstPlacement' },
  'repeated placement': {
    file: repeatGate,
    isElse: 'campaign === null',
    caughtBy: 'conditionsOfRepeatedPlacement',
  },
  'direct call': { file: directGate, caughtBy: 'conditionsOfDirectCall' },
  'repeated direct call': {
    file: repeatGate,
    isElse: 'campaign !== null',
    caughtBy: 'conditionsOfRepeatedDirectCall',
  },
  'queued call': { file: queuedGate, caughtBy: 'conditionsOfQueuedCall' },
};

/** Each condition of each caller. */
const conditionMutations: Mutation[] = gateCallers.flatMap((caller) => {
  const { file, isElse, caughtBy } = gates[caller];
  const reasons = gateConditions.map(({ reason }) => reason);
  return (
    reasons
      .filter((reason) => gateCases[reason][caller] !== null)
      // At the first placement, the unique index refuses a number in another call with the same reason.
      .filter((reason) => reason !== 'number_in_call' || caller !== 'first placement')
      .map((reason) => ({
        name: `${caller} without ${reason}`.replaceAll(' ', '-'),
        takesOut: `${caller}: the condition ${reason}`,
        caughtBy,
        edits: [without(reason, file, isElse)],
      }))
  );
});

export const gateMutations: readonly Mutation[] = [
  ...conditionMutations,
  {
    name: 'gate-without-claim',
    takesOut: 'the gate checks that the claim was not replaced',
    caughtBy: 'staleClaim',
    edits: [without('stale', campaignGate)],
  },
  {
    name: 'gate-without-window',
    takesOut: 'the gate compares its instant with the window',
    caughtBy: 'windowCloses',
    edits: [without('window_closed', campaignGate)],
  },
  {
    name: 'gate-without-revision',
    takesOut: 'the gate checks that its terms have the current revision',
    // A change releases existing claims, so only a later claim can meet outdated terms.
    caughtBy: 'rememberedTerms',
    edits: [without('changed', campaignGate)],
  },
  {
    name: 'gate-without-share-lock',
    takesOut: 'a change waits for open gates',
    caughtBy: 'changeWaitsForGates',
    edits: [
      {
        file: campaignGate,
        find: ' for share of campaigns),',
        replace: '),',
      },
      noQueue,
    ],
  },
  {
    name: 'gate-overtakes-changes',
    takesOut: 'gates and changes of a campaign queue in one order',
    caughtBy: 'pauseIsNotOvertaken',
    edits: [noQueue],
  },
  {
    name: 'gate-reads-an-old-list',
    takesOut: 'the gate reads the suppression list after its locks, and a suppression waits for gates',
    caughtBy: 'suppressedAtTheGate',
    edits: [
      noSharedList,
      {
        file: campaignGate,
        find: '    const answered = await runGate(tx, terms, claims);',
        replace:
          '    await sql`set transaction isolation level repeatable read`.execute(tx);\n    const answered = await runGate(tx, terms, claims);',
      },
    ],
  },
  {
    name: 'suppression-does-not-wait',
    takesOut: 'a suppression waits for gates that have read the list',
    caughtBy: 'suppressionWaitsForGates',
    edits: [noSharedList],
  },
  {
    name: 'limits-past-direct-gates',
    takesOut: 'a change of the allowed numbers waits for gates of direct calls',
    caughtBy: 'limitsWaitForDirectGates',
    edits: [
      {
        file: 'db/src/organizations/update-organization.ts',
        find: '    await lockOutGates(db, organizationId);\n',
        replace: '',
      },
    ],
  },
  {
    name: 'repeats-of-any-number',
    takesOut: 'a repeated send brings the current limits to its gate',
    caughtBy: 'limitedBeforePlacingAgain',
    edits: [
      {
        file: 'packages/engine/src/calls/place-again.ts',
        find: 'isAllowedDestination(call.toPhone, agent.limits)',
        replace: 'true',
      },
    ],
  },
  {
    name: 'numbers-not-judged',
    takesOut: 'a claim brings to its gate whether its number is allowed',
    caughtBy: 'limitedBeforeTheGate',
    edits: [
      {
        file: 'packages/engine/src/calls/gate-batcher.ts',
        find: 'isAllowedDestination(number, agent.limits)',
        replace: 'true',
      },
    ],
  },
  {
    name: 'one-pass-two-waiters',
    takesOut: 'a claim that waits twice in one batch of the gate gets one pass',
    caughtBy: 'jobTwiceAtOnce',
    edits: [
      {
        file: 'packages/engine/src/calls/gate-batcher.ts',
        find: 'const isFirst = distinct.delete(claim.claimId);',
        replace: 'const isFirst = true;',
      },
    ],
  },
  {
    name: 'claims-outlive-their-pace',
    takesOut: 'the gate requires a slot if there is a pace',
    caughtBy: 'paceOfTheProvider',
    edits: [without('no_slot', campaignGate)],
  },
  {
    name: 'slots-outlive-their-pace',
    takesOut: 'slots of an earlier pace are void',
    caughtBy: 'fasterPaceIsReverted',
    edits: [
      {
        file: 'db/src/engine/gate/conditions.ts',
        find: "g.slot_at >= coalesce(g.slots_from, '-infinity')",
        replace: 'true',
      },
    ],
  },
  {
    name: 'claims-kept-at-a-new-pace',
    takesOut: 'a new pace of a campaign releases its claims',
    caughtBy: 'paceReturnsClaims',
    edits: [claimsKept],
  },
  {
    name: 'pace-past-claims',
    takesOut: 'a new pace of a campaign releases its claims, and the gate requires a slot',
    caughtBy: 'campaignPaceAtFullSpeed',
    edits: [claimsKept, without('no_slot', campaignGate)],
  },
  {
    name: 'gate-without-lease',
    takesOut: 'the gate checks that the lease has not expired',
    caughtBy: 'leaseRunsOut',
    edits: [without('lease_expired', campaignGate)],
  },
  {
    name: 'gate-without-suppressions',
    takesOut: 'the gate reads the suppression list',
    caughtBy: 'suppressedMeanwhile',
    edits: [without('suppressed', campaignGate)],
  },
  {
    name: 'send-without-deadline',
    takesOut: 'a send that misses its deadline is not made',
    caughtBy: 'slowAnswerOfTheGate',
    edits: [
      {
        file: 'packages/engine/src/calls/prepare-send.ts',
        find: 'performance.now() - call.gateBeganAtMs <= startMs',
        replace: 'performance.now() > 0',
      },
    ],
  },
  {
    name: 'late-send-left-to-a-look-up',
    takesOut: 'a send that is not made undoes its attempt',
    caughtBy: 'slowAnswerOfTheGate',
    edits: [
      {
        file: 'packages/engine/src/calls/prepare-send.ts',
        find: '  await undoUnsent(deps, call, 0);',
        replace: '',
      },
    ],
  },
  {
    name: 'broken-preparation-left-to-a-look-up',
    takesOut: 'a send that could not be prepared undoes its attempt',
    caughtBy: 'exitsBeforeTheSend',
    edits: [
      {
        file: 'packages/engine/src/calls/prepare-send.ts',
        find: 'await undoUnsent(deps, call, unreachedRetryMs).catch(',
        replace: 'await Promise.resolve().catch(',
      },
    ],
  },
  {
    name: 'unsent-left-to-a-look-up',
    takesOut: 'every call that is not sent undoes its attempt',
    caughtBy: 'exitsBeforeTheSend',
    edits: [
      {
        file: 'packages/engine/src/calls/not-sent.ts',
        find: '  if (call.isRepeat === true) return;',
        replace: '  if (call.isRepeat !== undefined || retryAfterMs >= 0) return;',
      },
    ],
  },
  {
    name: 'wait-for-media-left-to-a-look-up',
    takesOut: 'a call that waits for a media server undoes its attempt',
    caughtBy: 'exitsBeforeTheSend',
    edits: [
      {
        file: 'packages/engine/src/calls/prepare-send.ts',
        find: "if (media?.kind === 'wait') return { sent: await defer(deps, call, { ...media, closes: false }) };",
        replace: "if (media?.kind === 'wait') return { sent: 'deferred' };",
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
        find: 'if (callsPerSecond === null) return null;',
        replace: 'if (callsPerSecond !== 0) return null;',
      },
    ],
  },
  {
    name: 'gate-without-slot',
    takesOut: 'the gate does not open before its slot',
    caughtBy: 'paceHolds',
    edits: [without('slot_to_come', campaignGate)],
  },
  {
    name: 'numbers-in-any-order',
    takesOut: 'a gate writes its calls in the order of their numbers',
    caughtBy: 'sameNumbersInTwoOrders',
    edits: [{ file: campaignGate, find: '      order by phone_number\n', replace: '' }],
  },
  {
    name: 'slots-of-an-earlier-clock',
    takesOut: 'slots further ahead than any that can be allotted are void',
    caughtBy: 'clockSetBack',
    edits: [
      {
        file: 'packages/engine/src/pacing/pace.ts',
        find: 'nextSlotAt.getTime() > latest;',
        replace: 'nextSlotAt.getTime() > latest && callsPerSecond < 0;',
      },
    ],
  },
  {
    name: 'pace-of-an-earlier-clock',
    takesOut: 'a pace that begins further ahead than possible counts as begun',
    caughtBy: 'clockSetBack',
    edits: [
      {
        file: 'db/src/engine/gate/conditions.ts',
        find: " or g.slots_from > g.now + interval '2 seconds'",
        replace: '',
      },
    ],
  },
  {
    name: 'slots-from-before-the-lock',
    takesOut: 'slots are allotted by an instant read after the lock of the provider',
    caughtBy: 'slotsAfterTheWait',
    edits: [
      {
        file: 'packages/engine/src/campaigns/claim-due.ts',
        find: '    now: capacity.now,',
        replace: '    now: view.now,',
      },
    ],
  },
];
