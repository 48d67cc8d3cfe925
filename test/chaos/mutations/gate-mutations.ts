import { gateConditions, type GateReason } from '@outdial/db';
import { gateCallers, type GateCaller } from '../../support/gates/gate-callers.ts';
import { gateCases } from '../../support/gates/gate-cases.ts';
import type { Edit, Mutation } from './mutation.ts';

const advance = 'db/src/dial/advance.ts';
const dialer = 'packages/engine/src/dial/dialer.ts';
const campaignGate = 'db/src/gate/campaign-gate.ts';
const callRow = 'db/src/gate/call-row.ts';
const callTerms = 'packages/engine/src/gate/call-terms.ts';

/** Removes one condition from one gate. If several callers share the gate, `isElse` holds for the others. */
function without(reason: GateReason, file: string, isElse = ''): Edit {
  return {
    file,
    find: 'refusalOf(gateConditions)',
    replace: `refusalOf(gateConditions.filter((one) => ${isElse && `${isElse} || `}one.reason !== '${reason}'))`,
  };
}

const noQueue: Edit = {
  file: advance,
  find: 'waits ? sharedCampaign(of, sql`wanted.id`) :',
  replace: 'waits ? sql`null` :',
};

const noSharedList: Edit = {
  file: advance,
  find: '${sharedSuppressions(of)}',
  replace: 'null as listed',
};

const gates: Record<GateCaller, { file: string; isElse?: string; caughtBy: string }> = {
  'first placement': { file: campaignGate, caughtBy: 'conditionsOfFirstPlacement' },
  'repeated placement': {
    file: callRow,
    isElse: 'keepsConsent || campaign === null',
    caughtBy: 'conditionsOfRepeatedPlacement',
  },
  'direct call': {
    file: callRow,
    isElse: 'keepsConsent || campaign !== null || row.needs_caller_id === undefined',
    caughtBy: 'conditionsOfDirectCall',
  },
  'repeated direct call': {
    file: callRow,
    isElse: 'keepsConsent || campaign !== null || row.needs_caller_id !== undefined',
    caughtBy: 'conditionsOfRepeatedDirectCall',
  },
  'queued call': { file: callRow, isElse: '!keepsConsent', caughtBy: 'conditionsOfQueuedCall' },
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
    name: 'gate-without-window',
    takesOut: 'a dial reads the windows after its locks, and the gate compares its instant with them',
    caughtBy: 'windowCloses',
    // Either suffices.
    edits: [
      without('window_closed', campaignGate),
      {
        file: 'packages/engine/src/dial/pass-due.ts',
        find: 'windowsOf(dialing, now)',
        replace: 'windowsOf(dialing, dialing[0]?.view.now ?? now)',
      },
    ],
  },
  {
    name: 'agents-of-any-revision',
    takesOut: 'a worker remembers an agent and its limits for one revision of the campaign',
    caughtBy: 'limitedBeforeTheGate',
    edits: [
      {
        file: 'packages/engine/src/dial/pass-due.ts',
        find: 'const key = `${id} ${revision}`;',
        replace: 'const key = revision < 0 ? String(revision) : id;',
      },
    ],
  },
  {
    name: 'gate-without-share-lock',
    takesOut: 'a change waits for open gates',
    caughtBy: 'changeWaitsForGates',
    edits: [
      {
        file: advance,
        find: 'sql`limit 1 for share`',
        replace: 'sql`limit 1`',
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
        file: advance,
        find: '  const of = sql`wanted.organization_id`;',
        replace:
          '  await sql`set transaction isolation level repeatable read`.execute(tx);\n  const of = sql`wanted.organization_id`;',
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
    name: 'rules-past-gates',
    takesOut: 'an import of rules waits for gates that decide by those of before',
    caughtBy: 'rulesWaitForGates',
    edits: [
      {
        file: 'db/src/compliance/rule-versions.ts',
        find: '  await sql`select ${locks.installationRules.take()}`.execute(tx);\n',
        replace: '',
      },
    ],
  },
  {
    name: 'terms-before-the-locks',
    takesOut: 'the gate of a call that has a row reads its terms after its locks',
    caughtBy: 'limitsMeetDirectGate',
    edits: [
      {
        file: 'packages/engine/src/direct/place-direct-call.ts',
        find: '  await lockLineCaps(tx);\n  const call',
        replace: '  const call',
      },
      {
        file: 'db/src/gate/call-gate.ts',
        find: 'CallAtGate | null> {\n',
        replace:
          'CallAtGate | null> {\n  await sql`set transaction isolation level repeatable read`.execute(tx);\n',
      },
    ],
  },
  {
    name: 'windows-of-other-rules',
    takesOut: 'a call of a campaign is not made by other rules than those in force',
    caughtBy: 'rulesMeetRepeatedSend',
    edits: [
      {
        file: 'packages/engine/src/gate/open-windows.ts',
        find: '  if (definition.rulesVersion !== rulesVersion()) return [];\n',
        replace: '',
      },
    ],
  },
  {
    name: 'rules-that-do-not-fit',
    takesOut: 'a direct call is not made by other rules than those in force',
    caughtBy: 'rulesMeetDirectGate',
    edits: [
      {
        file: callTerms,
        find: 'isUnderRules(call) ? gateHours(key, now) : null',
        replace: 'gateHours(key, now)',
      },
    ],
  },
  {
    name: 'repeats-of-any-number',
    takesOut: 'a repeated send brings the current limits to its gate',
    caughtBy: 'limitedBeforePlacingAgain',
    edits: [
      {
        file: callTerms,
        find: 'refusedBy(settings, [phoneNumber])',
        replace: '[]',
      },
    ],
  },
  {
    name: 'numbers-not-judged',
    takesOut: 'a dial brings to its gate whether its number is allowed',
    caughtBy: 'limitedBeforeTheGate',
    edits: [
      {
        file: 'packages/engine/src/dial/pass-due.ts',
        find: 'isAllowedDestination(phoneNumber, agent.limits)',
        replace: 'true',
      },
    ],
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
        file: 'packages/engine/src/send/prepare-send.ts',
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
        file: 'packages/engine/src/send/prepare-send.ts',
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
        file: 'packages/engine/src/send/prepare-send.ts',
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
        file: 'packages/engine/src/send/not-sent.ts',
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
        file: 'packages/engine/src/send/prepare-send.ts',
        find: "if (media?.kind === 'wait') return { sent: await defer(deps, call, { ...media, closes: false }) };",
        replace: "if (media?.kind === 'wait') return { sent: 'deferred' };",
      },
    ],
  },
  {
    name: 'pace-ignored',
    takesOut: 'calls per second',
    caughtBy: 'paceHolds',
    edits: [
      {
        file: 'db/src/lines/pace.ts',
        find: 'return callsPerSecond === null ? null :',
        replace: 'return callsPerSecond !== 0 ? null :',
      },
    ],
  },
  {
    name: 'gates-uncounted',
    takesOut: 'the gates of a dial are counted in the pace',
    caughtBy: 'gatesAreCounted',
    edits: [
      {
        file: 'db/src/lines/pace.ts',
        find: '  if (count === 0) return;\n',
        replace: '  if (count >= 0) return;\n',
      },
    ],
  },
  {
    name: 'numbers-in-any-order',
    takesOut: 'a gate writes its calls in the order of their numbers',
    caughtBy: 'sameNumbersInTwoOrders',
    edits: [{ file: campaignGate, find: '      order by phone_number\n', replace: '' }],
  },
  {
    name: 'turns-not-read',
    takesOut: "a direct call whose turn has not come does not ask for its provider's row",
    caughtBy: 'directCallsTakeTurns',
    edits: [
      {
        file: 'packages/engine/src/direct/place-direct-call.ts',
        find: '    if (turnInMs > 0) return waitsForPace(turnInMs);\n',
        replace: '    if (turnInMs > Number.MAX_VALUE) return waitsForPace(turnInMs);\n',
      },
    ],
  },
  {
    name: 'caller-before-lines',
    takesOut: 'a call that comes in locks the rows of lines before it inserts its call, as gates do',
    caughtBy: 'callerMeetsDial',
    edits: [
      {
        file: 'packages/engine/src/inbound/answer-inbound-call.ts',
        find: '  await lockLineCaps(tx);\n  await requireCallsLeft(',
        replace: '  await lockLineCaps(tx);\n  await insertInboundCall(tx, call);\n  await requireCallsLeft(',
      },
    ],
  },
  {
    name: 'frozen-worker-kept',
    takesOut: 'a transaction that holds lines ends if its process leaves it idle',
    caughtBy: 'frozenWorkerIsLetGo',
    edits: [
      {
        file: 'db/src/gate-locks.ts',
        find: "const idleAtMost = '8s';",
        replace: "const idleAtMost = '60s';",
      },
    ],
  },
  {
    name: 'number-not-tried',
    takesOut: 'a number that went into another call meanwhile is refused, and fails nothing',
    caughtBy: 'numberInTwoCampaigns',
    edits: [{ file: campaignGate, find: '      on conflict do nothing\n', replace: '' }],
  },
  {
    name: 'held-people-waited-for',
    takesOut: 'a dial leaves out recipients that another transaction holds',
    caughtBy: 'heldPersonDelaysNobody',
    edits: [
      {
        file: 'db/src/dial/choose-due.ts',
        find: 'for no key update skip locked',
        replace: 'for no key update',
      },
    ],
  },
  {
    name: 'campaign-not-locked',
    takesOut: 'a dial locks the row of its campaign before it counts lines',
    caughtBy: 'dialsSideBySide',
    edits: [
      {
        file: advance,
        find: '  await lockRuntimes(tx, campaignIds);\n  const { provider } = first;',
        replace: '  const { provider } = first;',
      },
    ],
  },
  {
    name: 'runtime-before-people',
    takesOut: 'a dial locks people before the rows that count lines, as ends do',
    caughtBy: 'endMeetsDial',
    edits: [
      {
        file: 'packages/engine/src/dial/dial-due.ts',
        find: 'const chosen = await choose(tx, wanted);',
        replace:
          'if (wanted.length > 0) await lockDials(tx, advanced);\n  const chosen = await choose(tx, wanted);',
      },
    ],
  },
  {
    name: 'batch-past-its-places',
    takesOut: 'a transaction dials at most as many as can be sent at once',
    caughtBy: 'placesBeforeTheDial',
    edits: [
      {
        file: dialer,
        find: '() => takeUpTo(dialsAtOnce)',
        replace: '() => dialsAtOnce',
      },
    ],
  },
  {
    name: 'places-of-a-failure-kept',
    takesOut: 'a failed transaction gives back its places',
    caughtBy: 'brokenBesideOthers',
    edits: [
      {
        file: dialer,
        find: '    } finally {\n      for (const giveBack of taken) giveBack();',
        replace:
          '    } catch (error) {\n      taken.length = 0;\n      throw error;\n    } finally {\n      for (const giveBack of taken) giveBack();',
      },
    ],
  },
  {
    name: 'places-before-the-locks',
    takesOut: 'a transaction takes most of its places when it has its locks',
    caughtBy: 'heldOrganizationDelaysNobody',
    edits: [
      {
        file: dialer,
        find: 'takeUpTo(1) === 0',
        replace: 'takeUpTo(dialsAtOnce) === 0',
      },
    ],
  },
  {
    name: 'together-waits-for-one',
    takesOut: 'campaigns that are dialed together leave out those that a change holds',
    caughtBy: 'heldCampaignDelaysNobody',
    edits: [{ file: dialer, find: '{ waits: false }', replace: '{ waits: true }' }],
  },
  {
    name: 'turns-for-one-organization',
    takesOut: 'an organization leaves a turn to others',
    caughtBy: 'heldOrganizationDelaysNobody',
    edits: [
      {
        file: dialer,
        find: 'transactionsOfOrganization = transactionsAtOnce - 1;',
        replace: 'transactionsOfOrganization = transactionsAtOnce;',
      },
    ],
  },
  {
    name: 'places-of-all-providers',
    takesOut: 'a provider has places of its own',
    caughtBy: 'slowBesideFast',
    edits: [
      {
        file: dialer,
        find: 'const free = placesOf(provider);',
        replace: "const free = placesOf('');",
      },
    ],
  },
  {
    name: 'pace-of-an-earlier-clock',
    takesOut: 'gates that were counted under a later clock are void',
    caughtBy: 'clockSetBack',
    edits: [
      {
        file: 'packages/core/src/pacing.ts',
        find: 'return gates.some(([name]) => name * bucketMs > nowMs);',
        replace: 'return gates.length < 0 && nowMs < 0;',
      },
    ],
  },
  {
    name: 'pace-from-before-the-lock',
    takesOut: 'the pace is read after the lock of the provider',
    caughtBy: 'paceAfterTheWait',
    edits: [
      {
        file: 'packages/engine/src/dial/dial-chosen.ts',
        find: 'const ownLanes = pacedLanes(view, room.pace, capacity);',
        replace: 'const ownLanes = pacedLanes(view, view.pace, view.capacity);',
      },
    ],
  },
  {
    name: 'lines-from-before-the-lock',
    takesOut: 'the lines in use are read after the lock of their rows',
    caughtBy: 'linesAfterTheWait',
    edits: [
      {
        file: 'packages/engine/src/dial/dial-chosen.ts',
        find: '      ? afterOthers(room.capacity, {',
        replace: '      ? afterOthers(view.capacity, {',
      },
    ],
  },
  {
    name: 'pause-of-agent-from-before-the-lock',
    takesOut: 'a pause for a fault of the agent is read after the lock of its row',
    caughtBy: 'agentRefusedMeanwhile',
    edits: [
      {
        file: 'packages/engine/src/dial/dial-chosen.ts',
        find: 'if (one === undefined || !isPausedAt(one, now)) return [];',
        replace: 'if (one === undefined || !isPausedAt(view, now)) return [];',
      },
    ],
  },
  {
    name: 'speed-from-before-the-lock',
    takesOut: 'the verdict on a campaign that abandons calls is read after the lock of its row',
    caughtBy: 'slowedMeanwhile',
    edits: [
      {
        file: 'packages/engine/src/dial/dial-chosen.ts',
        find: 'linesFor(view.definition, room, capacity',
        replace: 'linesFor(view.definition, { ...room, abandonment: view.abandonment }, capacity',
      },
    ],
  },
  {
    name: 'final-campaign-paused',
    takesOut: 'a campaign that has ended meanwhile is not woken for a fault of its agent',
    caughtBy: 'agentRefusedAtTheEnd',
    edits: [
      {
        file: 'db/src/campaigns/failures.ts',
        find: ' and rt.stopped_at is null`.execute(db);',
        replace: '`.execute(db);',
      },
    ],
  },
  {
    name: 'quota-raised-beside-advances',
    takesOut: 'a change of the quota waits for advances that have read it',
    caughtBy: 'quotaRaisedMidway',
    edits: [
      {
        file: 'db/src/organizations/update-organization.ts',
        find: '    await sql`select ${aloneWithQuota(sql`${organizationId}::uuid`)}`.execute(db);\n',
        replace: '',
      },
    ],
  },
];
