import type { FileStore, Sweep } from '@outdial/core';
import {
  bringInstantsBack,
  checkDueCalls,
  eraseDeletedCampaigns,
  endWaitingForSuppressed,
  enforceRetention,
  foldCampaignCounts,
  forgetExpiredSessions,
  forgetCalledPeople,
  forgetCallerIdUses,
  forgetConsents,
  forgetExpiredSuppressions,
  forgetFailures,
  forgetIdempotencyKeys,
  forgetOutbox,
  hangUpCalls,
  markBlockedCampaigns,
  proveCampaignCounts,
  reconcileLineCounters,
  rekeyRecipients,
  releaseExpiredClaims,
  restCallerIds,
  resumeWithdrawals,
  retryQueuedCalls,
  wakeDueCampaigns,
  wakeStrandedCampaigns,
  withdrawForgottenRecipients,
  type ControlDeps,
} from '@outdial/engine';
import { forgetDeliveries, publishEvents, resumeDeliveries } from '@outdial/webhooks';
import { sweepIngestion } from './sweep-ingestion.ts';

export interface SweepDeps extends ControlDeps {
  files: FileStore;
}

/** Every sweep of the scheduler. docs/operations.md lists the same. */
export const sweeps: ReadonlyArray<Sweep<SweepDeps>> = [
  { name: 'wake-due-campaigns', everyMs: 1_000, isRoutine: true, run: wakeDueCampaigns },
  { name: 'release-expired-claims', everyMs: 1_000, run: releaseExpiredClaims },
  { name: 'check-due-calls', everyMs: 500, run: checkDueCalls },
  { name: 'hang-up-calls', everyMs: 1_000, isRoutine: true, run: hangUpCalls },
  { name: 'retry-queued-calls', everyMs: 1_000, run: retryQueuedCalls },
  { name: 'end-waiting-for-suppressed', everyMs: 1_000, isRoutine: true, run: endWaitingForSuppressed },
  { name: 'wake-stranded-campaigns', everyMs: 5_000, run: wakeStrandedCampaigns },
  { name: 'bring-instants-back', everyMs: 5_000, run: bringInstantsBack },
  { name: 'mark-blocked-campaigns', everyMs: 10_000, isRoutine: true, run: markBlockedCampaigns },
  { name: 'rest-caller-ids', everyMs: 15_000, run: restCallerIds },
  { name: 'rekey-recipients', everyMs: 1_000, run: rekeyRecipients },
  { name: 'resume-withdrawals', everyMs: 5_000, run: resumeWithdrawals },
  { name: 'withdraw-forgotten', everyMs: 30_000, run: withdrawForgottenRecipients },
  { name: 'reconcile-line-counters', everyMs: 10_000, run: reconcileLineCounters },
  { name: 'fold-campaign-counts', everyMs: 1_000, isRoutine: true, run: foldCampaignCounts },
  // One campaign after the other, and never all of Postgres.
  { name: 'prove-campaign-counts', everyMs: 15_000, betweenFullMs: 250, run: proveCampaignCounts },
  {
    name: 'forget-expired-suppressions',
    everyMs: 10_000,
    isRoutine: true,
    run: forgetExpiredSuppressions,
  },
  { name: 'erase-deleted-campaigns', everyMs: 5_000, isRoutine: true, run: eraseDeletedCampaigns },
  { name: 'enforce-retention', everyMs: 60_000, betweenFullMs: 100, isRoutine: true, run: enforceRetention },
  { name: 'forget-idempotency-keys', everyMs: 60_000, isRoutine: true, run: forgetIdempotencyKeys },
  { name: 'forget-failures', everyMs: 60_000, isRoutine: true, run: forgetFailures },
  { name: 'forget-expired-sessions', everyMs: 60_000, isRoutine: true, run: forgetExpiredSessions },
  { name: 'forget-called-people', everyMs: 3_600_000, isRoutine: true, run: forgetCalledPeople },
  { name: 'forget-caller-id-uses', everyMs: 600_000, isRoutine: true, run: forgetCallerIdUses },
  { name: 'forget-consents', everyMs: 3_600_000, isRoutine: true, run: forgetConsents },
  { name: 'forget-outbox', everyMs: 60_000, isRoutine: true, run: forgetOutbox },
  { name: 'publish-events', everyMs: 250, isRoutine: true, run: publishEvents },
  { name: 'resume-deliveries', everyMs: 1_000, isRoutine: true, run: resumeDeliveries },
  { name: 'forget-deliveries', everyMs: 60_000, isRoutine: true, run: forgetDeliveries },
  { name: 'ingestion', everyMs: 2_000, run: sweepIngestion },
];
