import type { Mutation } from './mutation.ts';

export const progressMutations: readonly Mutation[] = [
  {
    name: 'line-freed-at-every-end',
    takesOut: 'a line is freed only while it is held',
    caughtBy: 'correctedOnce',
    edits: [
      {
        file: 'packages/engine/src/progress/move-calls.ts',
        find: 'count: call.line_held ? 1 : 0',
        replace: 'count: 1',
      },
    ],
  },
  {
    name: 'lines-freed-outside',
    takesOut: 'a line is freed in the transaction of its end',
    caughtBy: 'commitFails',
    edits: [
      {
        file: 'packages/engine/src/progress/move-calls.ts',
        find: 'const released = await releaseLines(tx, freed, now, { areCapped });',
        replace:
          'const released = { lineWaiters: { campaignIds: [], queuedCallIds: [] }, woken: Promise.resolve([]), freed };',
      },
      {
        file: 'packages/engine/src/progress/apply-reports.ts',
        find: "import { inTransaction, type CampaignKey } from '@outdial/db';",
        replace: "import { inTransaction, releaseLines, type CampaignKey } from '@outdial/db';",
      },
      {
        file: 'packages/engine/src/progress/apply-reports.ts',
        find: '(tx) => moveCalls(tx, deps, reports, options));',
        replace:
          'async (tx) => { const moved = await moveCalls(tx, deps, reports, options); await inTransaction(deps.db, (apart) => releaseLines(apart, moved.released.freed, new Date())); return moved; });',
      },
    ],
  },
  {
    name: 'ends-not-told',
    takesOut: 'the event of a call is written to the outbox in the transaction of its end',
    caughtBy: 'outboxTells',
    edits: [
      {
        file: 'packages/engine/src/progress/move-calls.ts',
        find: '  await writeOutbox(tx, events, now);',
        replace: '',
      },
    ],
  },
  {
    name: 'statuses-not-told',
    takesOut: 'a new status of a campaign is written to the outbox in its transaction',
    caughtBy: 'outboxTells',
    edits: [
      {
        file: 'db/src/campaigns/campaign-lifecycle.ts',
        find: '${campaignMoved(sql`moved`, args)}`;',
        replace: 'select id from moved`;',
      },
    ],
  },
  {
    name: 'undone-ends-not-told',
    takesOut: 'a recipient that is finished by the undoing of its attempt is written to the outbox',
    caughtBy: 'withdrawnAfterCorrection',
    edits: [
      {
        file: 'db/src/progress/undo-attempt.ts',
        find: '    if (change) await writeOutbox(tx, recipientFinished(change), now);',
        replace: '',
      },
    ],
  },
  {
    name: 'replanned-ends-not-told',
    takesOut: 'a recipient that is finished by a change of the rules is written to the outbox',
    caughtBy: 'configMeetsAdvance',
    edits: [
      {
        file: 'db/src/campaigns/replan-recipients.ts',
        find: '  await writeOutbox(tx, finished, now);',
        replace: '',
      },
    ],
  },
  {
    name: 'pause-is-the-end',
    takesOut: 'a recipient whose call ends during a pause is called back after it',
    caughtBy: 'endsDuringAPause',
    edits: [
      {
        file: 'packages/core/src/recipient-step.ts',
        find: 'const isOver = isFinalCampaignStatus(status);',
        replace: "const isOver = status === 'paused' || isFinalCampaignStatus(status);",
      },
    ],
  },
  {
    name: 'started-while-queued',
    takesOut: "a call in its provider's queue has not started",
    caughtBy: 'withdrawalNotWrittenDown',
    edits: [
      {
        file: 'packages/engine/src/progress/fold-facts.ts',
        find: '    folded.started = !isQueued;',
        replace: '    folded.started = true;',
      },
    ],
  },
  {
    name: 'ends-without-campaign-lock',
    takesOut: 'the end of a call locks its campaign in share mode before it reads the rules',
    caughtBy: 'configMeetsEnd',
    edits: [
      {
        file: 'packages/engine/src/progress/move-calls.ts',
        find: 'await shareCampaignsOfCalls(tx, callIds, { waits })',
        replace: 'new Map()',
      },
    ],
  },
  {
    name: 'ends-beside-new-numbers',
    takesOut: 'the same, where a new list of numbers is being written',
    caughtBy: 'numbersMeetEnds',
    edits: [
      {
        file: 'packages/engine/src/progress/move-calls.ts',
        find: 'await shareCampaignsOfCalls(tx, callIds, { waits })',
        replace: 'new Map()',
      },
    ],
  },
  {
    name: 'corrections-without-campaign-lock',
    takesOut: 'the same, where the end puts an unknown right',
    caughtBy: 'correctionMeetsCancel',
    edits: [
      {
        file: 'packages/engine/src/progress/move-calls.ts',
        find: 'await shareCampaignsOfCalls(tx, callIds, { waits })',
        replace: 'new Map()',
      },
    ],
  },
  {
    name: 'undo-without-campaign-lock',
    takesOut: 'undoing an attempt locks its campaign in share mode before it reads the rules',
    caughtBy: 'configMeetsUndo',
    edits: [
      {
        file: 'db/src/progress/undo-attempt.ts',
        find: '  await shareCampaignsOfCalls(tx, [callId]);',
        replace: '',
      },
    ],
  },
  {
    name: 'undone-is-due',
    takesOut: 'a recipient whose attempt is undone is replanned from its remaining calls',
    caughtBy: 'undoneAfterCorrection',
    edits: [
      {
        file: 'db/src/progress/undo-attempt.ts',
        find: "  if (step.state !== 'pending') return step;",
        replace:
          "  if (step.state !== 'pending') return { ...step, state: 'pending', nextAttemptAt: retryAt, finishReason: null };",
      },
    ],
  },
  {
    name: 'undone-after-a-hang-up',
    takesOut: 'a call whose hang-up was requested ends, and is not dialed under another id',
    caughtBy: 'hangUpMeetsUndo',
    edits: [
      {
        file: 'db/src/progress/undo-attempt.ts',
        find: 'and hangup_requested_at is null for update',
        replace: 'for update',
      },
    ],
  },
  {
    name: 'requested-round-is-lost',
    takesOut: 'undoing an attempt keeps a requested round',
    caughtBy: 'requestedRoundMeetsUndo',
    edits: [
      {
        file: 'packages/core/src/stored-step.ts',
        find: 'requestedRound: row.requested_round === round ? round : null',
        replace: 'requestedRound: null',
      },
    ],
  },
  {
    name: 'plans-are-rules',
    takesOut: 'a corrected outcome applies to the round of its call',
    caughtBy: 'correctionAfterPlan',
    edits: [
      {
        file: 'packages/core/src/stored-step.ts',
        find: 'const roundAttempt = row.call_round_attempt ?? (hasBegun ? roundAttempts : attempts);',
        replace: 'const roundAttempt = roundAttempts;',
      },
    ],
  },
  {
    name: 'finish-without-lock',
    takesOut: 'finishing a campaign locks it before counting the remaining recipients',
    caughtBy: 'finishMeetsNumbers',
    edits: [{ file: 'db/src/dial/advance.ts', find: '  await lockCampaignRow(tx, key);', replace: '' }],
  },
  {
    name: 'config-settles-none',
    takesOut: 'a config without call-backs replans recipients that wait for one',
    caughtBy: 'configMeetsAdvance',
    edits: [
      {
        file: 'packages/engine/src/campaigns/campaign-config.ts',
        find: "  if (definition) await replanRecipients(tx, definition, { kind: 'left' }, now);",
        replace: '',
      },
      {
        file: 'db/src/gate/conditions.ts',
        find: '    holds: isGivenByPolicy(',
        replace: '    holds: sql`true`,\n    was: isGivenByPolicy(',
      },
    ],
  },
  {
    name: 'event-ids-ignored',
    takesOut: 'an event id counts once',
    caughtBy: 'eventTwice',
    edits: [
      {
        file: 'packages/engine/src/progress/fold-facts.ts',
        find: 'if (fact.eventId !== null && isKnown(folded, fact.eventId)) continue;',
        replace: 'if (fact.eventId === "" && isKnown(folded, fact.eventId)) continue;',
      },
    ],
  },
  {
    name: 'phases-go-back',
    takesOut: 'an ended call does not change',
    caughtBy: 'eventsInAnyOrder',
    edits: [
      {
        file: 'packages/core/src/call-state.ts',
        find: "if (call.outcome !== 'unknown') return { kind: 'ignore', reason: 'already_ended' };",
        replace: '',
      },
    ],
  },
  {
    name: 'late-events-move-recipients',
    takesOut: 'an attempt changes its recipient only if no later attempt has begun',
    caughtBy: 'lateCorrection',
    edits: [
      {
        file: 'packages/engine/src/progress/move-calls.ts',
        find: 'if (!isLive && !isLast) return null;',
        replace: 'if (!isLive && !isLast && recipient.attempts === 0) return null;',
      },
    ],
  },
  {
    name: 'signatures-ignored',
    takesOut: 'events are signed',
    caughtBy: 'forgedEvent',
    edits: [
      {
        file: 'packages/providers/src/telephony/gateway/gateway.ts',
        find: 'return refusal === null ? readEvent(delivery)',
        replace: "return refusal !== '' ? readEvent(delivery)",
      },
    ],
  },
  {
    name: 'attempts-without-end',
    takesOut: 'call_back_attempts',
    caughtBy: 'attemptsAreBounded',
    edits: [
      {
        file: 'packages/core/src/retry-policy.ts',
        find: 'if (history.roundAttempts <= policy.callBackAttempts) return decideCallBack(args);',
        replace: 'if (history.roundAttempts <= 99) return decideCallBack(args);',
      },
    ],
  },
  {
    name: 'deferral-burns-attempt',
    takesOut: 'an attempt that the provider deferred is undone',
    caughtBy: 'backPressure',
    edits: [
      {
        file: 'db/src/progress/undo-attempt.ts',
        find: 'attempts: row.attempts - 1,',
        replace: 'attempts: row.attempts,',
      },
    ],
  },
];
