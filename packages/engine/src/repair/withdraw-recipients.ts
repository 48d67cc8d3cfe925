import type { Swept } from '@outdial/core';
import {
  engineNow,
  findForgottenCampaigns,
  findWithdrawingCampaigns,
  inTransaction,
  resumeWithdrawing,
  withdrawChunk,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueWithdrawals } from '../enqueue.ts';

/** Few, so that another organization's turn comes soon. */
const chunk = 1_000;

/** Runs the work when it is the campaign's turn. */
type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Withdraws the remaining recipients of an ended campaign in short transactions, each in a turn of its own, until the signal aborts. */
export async function withdrawRecipients(
  deps: Pick<ControlDeps, 'db'>,
  campaignId: string,
  { signal, inTurn = (work) => work() }: { signal?: AbortSignal; inTurn?: InTurn } = {},
): Promise<{ withdrawn: number; isDone: boolean }> {
  let withdrawn = 0;
  for (;;) {
    const count = await inTurn(async () => {
      const now = await engineNow(deps.db);
      return inTransaction(deps.db, (tx) => withdrawChunk(tx, { campaignId, now, limit: chunk }));
    });
    withdrawn += count;
    if (count < chunk) return { withdrawn, isDone: true };
    if (signal?.aborted) return { withdrawn, isDone: false };
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
