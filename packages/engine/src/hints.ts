import {
  advanceCampaignJob,
  checkCallJob,
  placeCallJob,
  withdrawRecipientsJob,
  type JobDefinition,
  type JobInput,
} from '@outdial/contracts';
import type { CampaignKey, Claim, LineWaiters } from '@outdial/db';
import type { ControlDeps } from './deps.ts';

type HintDeps = Pick<ControlDeps, 'publisher' | 'log'>;

/**
 * Publishes after a commit. A hint may be lost: the tables say what is due, and the sweeps publish it again. So a queue that
 * is down is logged, and fails nothing.
 */
async function hint<Job extends JobDefinition>(
  deps: HintDeps,
  job: Job,
  payloads: readonly JobInput<Job>[],
  options?: { first?: boolean },
): Promise<void> {
  if (payloads.length === 0) return;
  try {
    const [only] = payloads;
    if (payloads.length === 1 && only !== undefined) await deps.publisher.publish(job, only, options);
    else await deps.publisher.publishMany(job, payloads, options);
  } catch (error) {
    deps.log.warn(
      { err: error, job: job.name, count: payloads.length },
      'a hint was not published; a sweep will',
    );
  }
}

export async function hintAdvance(deps: HintDeps, campaignIds: Iterable<string>): Promise<void> {
  await hint(
    deps,
    advanceCampaignJob,
    [...new Set(campaignIds)].map((campaign_id) => ({ campaign_id })),
  );
}

export async function hintClaims(
  deps: HintDeps,
  campaign: CampaignKey,
  claims: readonly Claim[],
): Promise<void> {
  await hint(
    deps,
    placeCallJob,
    claims.map((claim) => ({
      recipient_id: claim.recipientId,
      claim_id: claim.claimId,
      attempt: claim.attempt,
      campaign_id: campaign.campaignId,
      organization_id: campaign.organizationId,
    })),
  );
}

/** Calls that were made by themselves go before what already waits in the queue. */
export async function hintSingleCalls(deps: HintDeps, callIds: readonly string[]): Promise<void> {
  await hint(
    deps,
    placeCallJob,
    callIds.map((call_id) => ({ call_id, claim_id: call_id, attempt: 1 })),
    { first: true },
  );
}

export async function hintChecks(deps: HintDeps, callIds: readonly string[]): Promise<void> {
  await hint(
    deps,
    checkCallJob,
    callIds.map((call_id) => ({ call_id })),
  );
}

export async function hintWithdraw(deps: HintDeps, campaignIds: readonly string[]): Promise<void> {
  await hint(
    deps,
    withdrawRecipientsJob,
    campaignIds.map((campaign_id) => ({ campaign_id })),
  );
}

export async function hintLineWaiters(deps: HintDeps, lineWaiters: LineWaiters): Promise<void> {
  await hintSingleCalls(deps, lineWaiters.queuedCallIds);
  await hintAdvance(deps, lineWaiters.campaignIds);
}
