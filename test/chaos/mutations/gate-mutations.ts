import { gateConditions, type GateReason } from '@outdial/db';
import { gateCallers, type GateCaller } from '../../support/gates/gate-callers.ts';
import { gateCases } from '../../support/gates/gate-cases.ts';
import type { Edit, MutationEntry } from './mutation.ts';

const advance = 'db/src/dial/advance.ts';
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
  find: '[sharedCampaign(of, sql`wanted.id`), sharedSuppressions(of)]',
  replace: '[sql`null`, sharedSuppressions(of)]',
};

const noSharedList: Edit = {
  file: advance,
  find: '${rules} as rules',
  replace: 'true as rules',
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
const conditionMutations: MutationEntry[] = gateCallers.flatMap((caller) => {
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
        ...without(reason, file, isElse),
      }))
  );
});

/** What a gate decides by, and what waits for it. */
export const gateMutations: readonly MutationEntry[] = [
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
    file: 'packages/engine/src/dial/pass-due.ts',
    find: 'const key = `${id} ${revision}`;',
    replace: 'const key = revision < 0 ? String(revision) : id;',
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
    ...noQueue,
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
    ...noSharedList,
  },
  {
    name: 'limits-past-direct-gates',
    takesOut: 'a change of the allowed numbers waits for gates of direct calls',
    caughtBy: 'limitsWaitForDirectGates',
    file: 'db/src/organizations/update-organization.ts',
    find: '    await lockOutGates(db, organizationId);\n',
    replace: '',
  },
  {
    name: 'rules-past-gates',
    takesOut: 'an import of rules waits for gates that decide by those of before',
    caughtBy: 'rulesWaitForGates',
    file: 'db/src/compliance/rule-versions.ts',
    find: '  await sql`select ${locks.installationRules.take()}`.execute(tx);\n',
    replace: '',
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
        find: 'CallAtGate | HeldCall | null> {\n',
        replace:
          'CallAtGate | HeldCall | null> {\n  await sql`set transaction isolation level repeatable read`.execute(tx);\n',
      },
    ],
  },
  {
    name: 'windows-of-other-rules',
    takesOut: 'a call of a campaign is not made by other rules than those in force',
    caughtBy: 'rulesMeetRepeatedSend',
    file: 'packages/engine/src/gate/open-windows.ts',
    find: '  if (definition.rulesVersion !== rulesVersion()) return [];\n',
    replace: '',
  },
  {
    name: 'rules-that-do-not-fit',
    takesOut: 'a direct call is not made by other rules than those in force',
    caughtBy: 'rulesMeetDirectGate',
    file: callTerms,
    find: 'isUnderRules(call) ? gateHours(key, now) : null',
    replace: 'gateHours(key, now)',
  },
  {
    name: 'repeats-of-any-number',
    takesOut: 'a repeated send brings the current limits to its gate',
    caughtBy: 'limitedBeforePlacingAgain',
    file: callTerms,
    find: 'refusedBy(settings, [phoneNumber])',
    replace: '[]',
  },
  {
    name: 'numbers-not-judged',
    takesOut: 'a dial brings to its gate whether its number is allowed',
    caughtBy: 'limitedBeforeTheGate',
    file: 'packages/engine/src/dial/pass-due.ts',
    find: 'isAllowedDestination(phoneNumber, agent.limits)',
    replace: 'true',
  },
  {
    name: 'gate-without-suppressions',
    takesOut: 'the gate reads the suppression list',
    caughtBy: 'suppressedMeanwhile',
    ...without('suppressed', campaignGate),
  },
];
