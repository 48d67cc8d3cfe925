import type { Mutation } from './mutation.ts';

export const repairMutations: readonly Mutation[] = [
  {
    name: 'look-up-sweep-off',
    takesOut: 'calls of unknown state are looked up',
    caughtBy: 'commitAnswerLost',
    edits: [
      {
        file: 'packages/engine/src/repair/check-calls.ts',
        find: '  await enqueueChecks(deps, due);',
        replace: '  void enqueueChecks;',
      },
    ],
  },
  {
    name: 'look-up-sweep-off-for-events',
    takesOut: 'a call whose event is lost is looked up',
    caughtBy: 'eventNeverComes',
    edits: [
      {
        file: 'packages/engine/src/repair/check-calls.ts',
        find: '  await enqueueChecks(deps, due);',
        replace: '  void enqueueChecks;',
      },
    ],
  },
  {
    name: 'placed-again-under-new-id',
    takesOut: 'a repeated send has the id of the first send',
    caughtBy: 'droppedBeforeAccepting',
    edits: [
      {
        file: 'packages/engine/src/send/place-again.ts',
        find: '    pass: {\n      callId: call.id,',
        replace: '    pass: {\n      callId: crypto.randomUUID(),',
      },
    ],
  },
  {
    name: 'pace-puts-off',
    takesOut: 'a repeated send that finds no room in the pace asks again when there may be some',
    caughtBy: 'pacedWhenPlacedAgain',
    edits: [
      {
        file: 'packages/engine/src/send/place-again.ts',
        find: 'if (!isPaced || tried === triesAtMost)',
        replace: 'if (tried > 0)',
      },
    ],
  },
  {
    name: 'no-pace-holds-the-line',
    takesOut: 'a repeated send that the gate refuses is undone once its first send can no longer arrive',
    caughtBy: 'noPaceToPlaceAgain',
    edits: [
      {
        file: 'packages/engine/src/send/place-again.ts',
        find: "if (answer.kind === 'refused') return deferOrUndo(deps, call, answer.reason);",
        replace:
          "if (answer.kind === 'refused') return saveCallCheck(deps.db, call.id, new Date(call.now.getTime() + refusedRetryMs)).then(() => 'deferred');",
      },
    ],
  },
  {
    name: 'placed-again-without-gate',
    takesOut: 'a repeated send passes the gate',
    caughtBy: 'pausedBeforePlacingAgain',
    edits: [
      {
        file: 'packages/engine/src/send/place-again.ts',
        find: 'const answer = await gateAgain(deps, call);',
        replace: "const answer = { kind: 'passed', gatedAt: call.gated_at } as RepeatAnswer;",
      },
    ],
  },
  {
    name: 'ambiguous-is-refused',
    takesOut: 'after a broken connection the result of a send is unknown',
    caughtBy: 'droppedAfterAccepting',
    edits: [
      {
        file: 'packages/engine/src/send/send-call.ts',
        find: "  if (judged.kind === 'ambiguous') return 'unknown';",
        replace:
          "  if (judged.kind === 'ambiguous') return defer(deps, call, { retryAfterMs: 1_000, reason: 'ambiguous', closes: false });",
      },
    ],
  },
  {
    name: 'withdrawal-taken-for-granted',
    takesOut: 'a queued call is undone only after its provider has confirmed that it will never dial it',
    caughtBy: 'withdrawalNeverArrived',
    edits: [
      {
        file: 'packages/engine/src/repair/withdraw-call.ts',
        find: "  switch (result.kind) {\n    case 'withdrawn':",
        replace: "  switch (result.kind) {\n    case 'unreachable':\n    case 'withdrawn':",
      },
    ],
  },
  {
    name: 'queued-past-the-gate',
    takesOut: 'a call that waits at its provider is withdrawn if a condition of the gate no longer holds',
    caughtBy: 'withdrawnWhileQueued',
    edits: [
      {
        file: 'packages/engine/src/repair/withdraw-call.ts',
        find: '  if (forbids(refusal)) return refusal;',
        replace: '',
      },
    ],
  },
  {
    name: 'queued-to-any-number',
    takesOut: 'the worker judges the numbers of queued calls by the current limits',
    caughtBy: 'limitedWhileQueued',
    edits: [
      {
        file: 'packages/engine/src/gate/call-terms.ts',
        find: 'phoneNumbers.filter((number) => !isAllowedDestination(number, settings))',
        replace: '[]',
      },
    ],
  },
  {
    name: 'withdrawn-left-to-the-sweep',
    takesOut: 'if a recipient is withdrawn, its call in the queue of a provider is checked at once',
    caughtBy: 'withdrawnWhileQueued',
    edits: [
      {
        file: 'packages/engine/src/campaigns/change-recipients.ts',
        find: 'await checkQueuedCallOf(tx, args)',
        replace: '[]',
      },
    ],
  },
  {
    name: 'withdrawn-counts-as-attempt',
    takesOut: 'if a worker withdraws a call and crashes, the next look-up undoes the attempt',
    caughtBy: 'withdrawalNotWrittenDown',
    edits: [
      {
        file: 'packages/engine/src/repair/check-calls.ts',
        find: "await undoWithdrawnAttempt(deps, call, {\n          retryAfterMs: canceledElsewhereRetryMs,\n          why: 'withdrawn_at_provider',\n        })",
        replace: 'await Promise.resolve(![undoWithdrawnAttempt, canceledElsewhereRetryMs])',
      },
    ],
  },
  {
    name: 'never-hung-up',
    takesOut: 'a call past its longest duration is hung up',
    caughtBy: 'callWithoutEnd',
    edits: [
      {
        file: 'packages/engine/src/repair/check-calls.ts',
        find: "      if (found.progress.some((fact) => fact.kind === 'ended')) return;",
        replace: '      return;',
      },
    ],
  },
  {
    name: 'wake-up-lost',
    takesOut: 'a freed line sets wake_at, and the sweep of stranded campaigns',
    caughtBy: 'wakeUpLost',
    edits: [
      {
        file: 'db/src/lines/lines.ts',
        find: 'then least(rt.wake_at, ${now}) else rt.wake_at end',
        replace: 'then rt.wake_at else rt.wake_at end',
      },
      {
        file: 'db/src/campaigns/wake.ts',
        find: "where c.status = 'running' and (rt.wake_at is null or rt.wake_at > ${args.now}) and (",
        replace: 'where false and ${args.now}::timestamptz is null and (',
      },
    ],
  },
  {
    name: 'stranded-sweep-off',
    takesOut: 'the sweep of stranded campaigns',
    caughtBy: 'strandedCampaign',
    edits: [
      {
        file: 'db/src/campaigns/wake.ts',
        find: "where c.status = 'running' and (rt.wake_at is null or rt.wake_at > ${args.now}) and (",
        replace: 'where false and ${args.now}::timestamptz is null and (',
      },
    ],
  },
  {
    name: 'circuit-breaker-off',
    takesOut: 'a failing provider gets no calls for some time',
    caughtBy: 'circuitOpens',
    edits: [
      {
        file: 'packages/engine/src/provider-health/circuit-breaker.ts',
        find: 'export const failuresToOpen = 5;',
        replace: 'export const failuresToOpen = 5_000;',
      },
    ],
  },
  {
    name: 'queue-retries-placements',
    takesOut: 'the queue never runs a placement twice',
    caughtBy: 'queueNeverRetries',
    edits: [
      {
        file: 'packages/contracts/src/jobs/place-call.ts',
        find: 'retry: { attempts: 1, backoffMs: 0 },',
        replace: 'retry: { attempts: 3, backoffMs: 10 },',
      },
    ],
  },
  {
    name: 'drain-cut-short',
    takesOut: 'after SIGTERM, a worker finishes the calls that it is placing',
    caughtBy: 'drainFinishesSends',
    edits: [
      {
        file: 'worker/src/worker.ts',
        find: 'Promise.race([dialer.close(), sleep(drainMs, undefined, { ref: false })]),',
        replace: 'sleep(drainMs * 0),',
      },
    ],
  },
  {
    name: 'busy-connections-kept',
    takesOut: 'after SIGTERM, an api closes busy connections',
    caughtBy: 'busyCallerIsLetGo',
    edits: [
      {
        file: 'api/src/server.ts',
        find: "if (closing) response.setHeader('Connection', 'close');",
        replace: '',
      },
      { file: 'api/src/server.ts', find: 'server.closeIdleConnections()', replace: 'undefined' },
    ],
  },
  {
    name: 'key-kept-apart',
    takesOut: 'an idempotency key is written in the transaction that creates the resource',
    caughtBy: 'answerLost',
    edits: [
      {
        file: 'api/src/http/idempotency.ts',
        find: '      await saveIdempotentResponse(tx, request, done.kept, now);',
        replace: '      void saveIdempotentResponse;',
      },
    ],
  },
  {
    name: 'strict-jobs',
    takesOut: 'workers accept jobs of a newer version',
    caughtBy: 'olderAndNewerWorkers',
    edits: [
      {
        file: 'packages/contracts/src/jobs/advance-campaign.ts',
        find: 'payload: z.object({',
        replace: 'payload: z.strictObject({',
      },
    ],
  },
  {
    name: 'idempotency-off',
    takesOut: 'a repeated request does its work once',
    caughtBy: 'requestTwice',
    edits: [
      {
        file: 'api/src/http/idempotency.ts',
        find: '  if (key === undefined) {\n    return null;',
        replace: "  if (key === undefined || key !== '') {\n    return null;",
      },
    ],
  },
  {
    name: 'wake-ups-of-an-earlier-clock',
    takesOut: 'a wake-up further ahead than its plan is corrected',
    caughtBy: 'clockSetBack',
    edits: [
      {
        file: 'db/src/campaigns/wake.ts',
        find: "or (rt.wake_at > ${args.now}::timestamptz + interval '10 seconds' and (",
        replace: "or (rt.wake_at > ${args.now}::timestamptz + interval '10 days' and (",
      },
    ],
  },
  {
    name: 'first-places-anywhere',
    takesOut: 'the places of a first dial are those of the provider of its campaign',
    caughtBy: 'slowBesideFast',
    edits: [
      {
        file: 'packages/engine/src/dial/dialer.ts',
        find: 'remembered.set(campaignId, found);',
        replace: "remembered.set(campaignId, { ...found, provider: '' });",
      },
    ],
  },
  ...(['providers', 'calls'] as const).map((what) => ({
    name: `${what}-of-an-earlier-clock`,
    takesOut: `instants of ${what} further ahead than any plan are corrected`,
    caughtBy: what === 'providers' ? 'clockSetBackWithAnOpenCircuit' : 'clockSetBackWithCalls',
    edits: [
      {
        file: 'db/src/repair/clock-set-back.ts',
        find: `  await ${what}(`,
        replace: `  if (tx === null) await ${what}(`,
      },
    ],
  })),
];
