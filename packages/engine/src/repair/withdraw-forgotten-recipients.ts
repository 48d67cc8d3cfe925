import type { Swept } from '@outdial/core';
import { findForgottenCampaigns, inTransaction, resumeWithdrawing } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueWithdrawals } from '../enqueue.ts';

const batch = 100;

/** Withdraws waiting recipients of finished campaigns. Any repair indicates a bug. */
export async function withdrawForgottenRecipients(deps: ControlDeps): Promise<Swept> {
  const campaignIds = await findForgottenCampaigns(deps.db, batch);
  if (campaignIds.length === 0) return { done: 0, isFull: false };
  await inTransaction(deps.db, (tx) => resumeWithdrawing(tx, campaignIds));
  deps.log.error({ campaign_ids: campaignIds }, 'found waiting recipients of campaigns that are over');
  await enqueueWithdrawals(deps, campaignIds);
  return { done: campaignIds.length, isFull: campaignIds.length === batch };
}
