import type { FileStore, Sweep } from '@outdial/core';
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
const minute = 60_000;
const hour = 60 * minute;

function inBatches(
  name: string,
  everyMs: number,
  run: (db: Db, limit: number) => Promise<number>,
): Sweep<SweepDeps> {
  return {
    name,
    everyMs,
    isRoutine: true,
    async run({ db }) {
      const done = await run(db, rowsAtOnce);
      return { done, isFull: done === rowsAtOnce };
    },
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
  inBatches('fold-campaign-counts', 1_000, foldCampaignCounts),
  // One campaign at a time with pauses, so that Postgres is never fully busy.
  { name: 'prove-campaign-counts', everyMs: 15_000, betweenFullMs: 5_000, run: proveCampaignCounts },
  inBatches('forget-expired-suppressions', 10_000, deleteExpiredSuppressions),
  { name: 'erase-deleted-campaigns', everyMs: 5_000, isRoutine: true, run: eraseDeletedCampaigns },
  { name: 'enforce-retention', everyMs: minute, betweenFullMs: 100, isRoutine: true, run: enforceRetention },
  inBatches('forget-idempotency-keys', minute, async (db, limit) =>
    deleteOldIdempotencyKeys(db, { now: await engineNow(db), limit }),
  ),
  inBatches('forget-failures', minute, forgetFailures),
  inBatches('forget-expired-sessions', minute, forgetExpiredSessions),
  inBatches('forget-called-people', hour, forgetCalledPeople),
  inBatches('forget-caller-id-uses', 10 * minute, forgetCallerIdUses),
  inBatches('forget-call-voices', hour, forgetCallVoices),
  inBatches('forget-consents', hour, deleteOldConsents),
  inBatches('forget-number-changes', hour, deleteOldNumberChanges),
  inBatches('forget-number-queries', hour, deleteOldNumberQueries),
  inBatches('forget-scrubbed-numbers', 10 * minute, forgetScrubbedNumbers),
  inBatches('forget-outbox', minute, async (db, limit) =>
    deleteOldOutboxEvents(db, { now: await engineNow(db), limit }),
  ),
  { name: 'seal-receipts', everyMs: minute, betweenFullMs: 50, isRoutine: true, run: sealReceipts },
  { name: 'publish-events', everyMs: 250, isRoutine: true, run: publishEvents },
  { name: 'resume-deliveries', everyMs: 1_000, isRoutine: true, run: resumeDeliveries },
  { name: 'forget-deliveries', everyMs: minute, isRoutine: true, run: forgetDeliveries },
  { name: 'ingestion', everyMs: 2_000, run: sweepIngestion },
];
