import type { Swept } from '@outdial/core';
import { engineNow, findWithdrawingCampaigns, inTransaction, withdrawChunk } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueWithdrawals } from '../enqueue.ts';

const chunk = 5_000;

/** Withdraws the remaining recipients of an ended campaign in short transactions. */
export async function withdrawRecipients(
  deps: Pick<ControlDeps, 'db'>,
  campaignId: string,
  signal?: AbortSignal,
): Promise<{ withdrawn: number }> {
  let withdrawn = 0;
  for (;;) {
    const now = await engineNow(deps.db);
    const count = await inTransaction(deps.db, (tx) => withdrawChunk(tx, { campaignId, now, limit: chunk }));
    withdrawn += count;
    if (count < chunk || signal?.aborted) return { withdrawn };
  }
}

/** Publishes jobs again for ended campaigns with recipients to withdraw. */
export async function resumeWithdrawals(deps: ControlDeps): Promise<Swept> {
  const campaigns = await findWithdrawingCampaigns(deps.db, 100);
  await enqueueWithdrawals(
    deps,
    campaigns.map((campaign) => campaign.campaignId),
  );
  // The jobs do the work, so the next batch would be the same campaigns.
  return { done: campaigns.length, isFull: false };
}
