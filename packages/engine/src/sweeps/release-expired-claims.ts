import type { Swept } from '@outdial/core';
import { engineNow, findExpiredClaims, inTransaction, lockLineCaps, returnClaims } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueLineWaiters } from '../enqueue.ts';

/** Few, so that locks are short. 100,000 claims are still released within 15 seconds. */
const batch = 500;

/** Releases claims and their lines if a worker died or a job was lost before the gate. */
export async function releaseExpiredClaims(deps: ControlDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  const { returned, lineWaiters, campaignIds, isFull } = await inTransaction(deps.db, async (tx) => {
    await lockLineCaps(tx);
    const expired = await findExpiredClaims(tx, now, batch);
    return {
      ...(await returnClaims(tx, expired, now)),
      campaignIds: expired.map((claim) => claim.campaignId),
      isFull: expired.length === batch,
    };
  });
  if (returned > 0) deps.log.warn({ released: returned }, 'released claims that never reached the gate');
  await enqueueLineWaiters(deps, lineWaiters, ...campaignIds);
  return { done: returned, isFull };
}
