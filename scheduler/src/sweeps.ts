import type { FileStore, Sweep, Swept } from '@outdial/core';
import {
  type Db,
  deleteExpiredSuppressions,
  deleteOldConsents,
  deleteOldIdempotencyKeys,
  deleteOldNumberChanges,
  deleteOldNumberQueries,
  deleteOldOutboxEvents,
  engineNow,
  foldCampaignCounts,
  forgetCalledPeople,
  forgetCallerIdUses,
  forgetCallVoices,
  forgetExpiredSessions,
  forgetFailures,
  forgetScrubbedNumbers,
} from '@outdial/db';
import {
  betweenForecastsMs,
  bringInstantsBack,
  checkDueCalls,
  eraseDeletedCampaigns,
  endLostWebCalls,
  endWaitingForSuppressed,
  enforceRetention,
  estimateEnds,
  hangUpCalls,
  judgeAbandonment,
  markBlockedCampaigns,
  proveCampaignCounts,
  reconcileLineCounters,
  rekeyRecipients,
  restCallerIds,
  resumeWithdrawals,
  retryQueuedCalls,
  sealReceipts,
  wakeDueCampaigns,
  wakeStrandedCampaigns,
  withdrawForgottenRecipients,
  type EndingDeps,
} from '@outdial/engine';
import { forgetDeliveries, publishEvents, resumeDeliveries } from '@outdial/webhooks';
import { sweepIngestion } from './sweep-ingestion.ts';

export interface SweepDeps extends EndingDeps {
  files: FileStore;
}

/** One statement handles at most this many rows, so that it locks them only briefly. */
const rowsAtOnce = 5_000;

function statement(run: (db: Db, limit: number) => Promise<number>) {
  return async ({ db }: { db: Db }): Promise<Swept> => {
    const done = await run(db, rowsAtOnce);
    return { done, isFull: done === rowsAtOnce };
  };
}

/** Every sweep of the scheduler. docs/operations.md has the same list. */
export const sweeps: ReadonlyArray<Sweep<SweepDeps>> = [
  { name: 'wake-due-campaigns', everyMs: 1_000, isRoutine: true, run: wakeDueCampaigns },
  { name: 'check-due-calls', everyMs: 500, run: checkDueCalls },
  { name: 'hang-up-calls', everyMs: 1_000, isRoutine: true, run: hangUpCalls },
  { name: 'end-lost-web-calls', everyMs: 2_000, run: endLostWebCalls },
  { name: 'retry-queued-calls', everyMs: 1_000, run: retryQueuedCalls },
  { name: 'end-waiting-for-suppressed', everyMs: 1_000, isRoutine: true, run: endWaitingForSuppressed },
  { name: 'wake-stranded-campaigns', everyMs: 5_000, run: wakeStrandedCampaigns },
  { name: 'bring-instants-back', everyMs: 5_000, run: bringInstantsBack },
  { name: 'mark-blocked-campaigns', everyMs: 10_000, isRoutine: true, run: markBlockedCampaigns },
  {
    name: 'estimate-ends',
    everyMs: 5_000,
    betweenFullMs: betweenForecastsMs,
    isRoutine: true,
    run: estimateEnds,
  },
  { name: 'judge-abandonment', everyMs: 15_000, isRoutine: true, run: judgeAbandonment },
  { name: 'rest-caller-ids', everyMs: 15_000, run: restCallerIds },
  { name: 'rekey-recipients', everyMs: 1_000, run: rekeyRecipients },
  { name: 'resume-withdrawals', everyMs: 5_000, run: resumeWithdrawals },
  { name: 'withdraw-forgotten', everyMs: 30_000, run: withdrawForgottenRecipients },
  { name: 'reconcile-line-counters', everyMs: 10_000, run: reconcileLineCounters },
  { name: 'fold-campaign-counts', everyMs: 1_000, isRoutine: true, run: statement(foldCampaignCounts) },
  // One campaign at a time with pauses, so that Postgres is never fully busy.
  { name: 'prove-campaign-counts', everyMs: 15_000, betweenFullMs: 5_000, run: proveCampaignCounts },
  {
    name: 'forget-expired-suppressions',
    everyMs: 10_000,
    isRoutine: true,
    run: statement(deleteExpiredSuppressions),
  },
  { name: 'erase-deleted-campaigns', everyMs: 5_000, isRoutine: true, run: eraseDeletedCampaigns },
  { name: 'enforce-retention', everyMs: 60_000, betweenFullMs: 100, isRoutine: true, run: enforceRetention },
  {
    name: 'forget-idempotency-keys',
    everyMs: 60_000,
    isRoutine: true,
    run: statement(async (db, limit) => deleteOldIdempotencyKeys(db, { now: await engineNow(db), limit })),
  },
  { name: 'forget-failures', everyMs: 60_000, isRoutine: true, run: statement(forgetFailures) },
  {
    name: 'forget-expired-sessions',
    everyMs: 60_000,
    isRoutine: true,
    run: statement(forgetExpiredSessions),
  },
  { name: 'forget-called-people', everyMs: 3_600_000, isRoutine: true, run: statement(forgetCalledPeople) },
  { name: 'forget-caller-id-uses', everyMs: 600_000, isRoutine: true, run: statement(forgetCallerIdUses) },
  { name: 'forget-call-voices', everyMs: 3_600_000, isRoutine: true, run: statement(forgetCallVoices) },
  { name: 'forget-consents', everyMs: 3_600_000, isRoutine: true, run: statement(deleteOldConsents) },
  {
    name: 'forget-number-changes',
    everyMs: 3_600_000,
    isRoutine: true,
    run: statement(deleteOldNumberChanges),
  },
  {
    name: 'forget-number-queries',
    everyMs: 3_600_000,
    isRoutine: true,
    run: statement(deleteOldNumberQueries),
  },
  {
    name: 'forget-scrubbed-numbers',
    everyMs: 600_000,
    isRoutine: true,
    run: statement(forgetScrubbedNumbers),
  },
  {
    name: 'forget-outbox',
    everyMs: 60_000,
    isRoutine: true,
    run: statement(async (db, limit) => deleteOldOutboxEvents(db, { now: await engineNow(db), limit })),
  },
  { name: 'seal-receipts', everyMs: 60_000, betweenFullMs: 50, isRoutine: true, run: sealReceipts },
  { name: 'publish-events', everyMs: 250, isRoutine: true, run: publishEvents },
  { name: 'resume-deliveries', everyMs: 1_000, isRoutine: true, run: resumeDeliveries },
  { name: 'forget-deliveries', everyMs: 60_000, isRoutine: true, run: forgetDeliveries },
  { name: 'ingestion', everyMs: 2_000, run: sweepIngestion },
];
