import type { Swept } from '@outdial/core';
import { engineNow, inTransaction, wakeStrandedCampaigns as wakeStranded } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';

const batch = 500;

/** Wakes running campaigns that lost a wake-up, or that wait for a line although one is free. */
export async function wakeStrandedCampaigns(deps: ControlDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  const stranded = await inTransaction(deps.db, (tx) => wakeStranded(tx, { now, limit: batch }));
  await enqueueAdvance(
    deps,
    stranded.map((campaign) => campaign.campaignId),
  );
  return { done: stranded.length, isFull: stranded.length === batch };
}
