import { checkDueCallsSweep } from './check-due-calls.ts';
import { foldCampaignCountsSweep } from './fold-campaign-counts.ts';
import { forgetIdempotencyKeysSweep } from './forget-idempotency-keys.ts';
import { proveCampaignCountsSweep } from './prove-campaign-counts.ts';
import { forgetOutboxSweep } from './forget-outbox.ts';
import { reconcileLineCountersSweep } from './reconcile-line-counters.ts';
import { releaseExpiredClaimsSweep } from './release-expired-claims.ts';
import { resumeWithdrawalsSweep } from './resume-withdrawals.ts';
import { retryQueuedCallsSweep } from './retry-queued-calls.ts';
import type { Sweep } from './sweep.ts';
import { wakeDueCampaignsSweep } from './wake-due-campaigns.ts';
import { wakeStrandedCampaignsSweep } from './wake-stranded-campaigns.ts';

export type { Sweep } from './sweep.ts';

export const sweeps: readonly Sweep[] = [
  wakeDueCampaignsSweep,
  wakeStrandedCampaignsSweep,
  releaseExpiredClaimsSweep,
  checkDueCallsSweep,
  retryQueuedCallsSweep,
  resumeWithdrawalsSweep,
  reconcileLineCountersSweep,
  foldCampaignCountsSweep,
  proveCampaignCountsSweep,
  forgetIdempotencyKeysSweep,
  forgetOutboxSweep,
];
