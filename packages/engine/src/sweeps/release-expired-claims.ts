import type { Swept } from '@outdial/core';
import { engineNow, findExpiredClaims, inTransaction, lockLineCaps, returnClaims } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance, enqueueLineWaiters } from '../enqueue.ts';

/** One transaction releases at most this many, so that its locks are short. 100,000 claims are still released within 15 seconds. */
const batch = 500;

/** Releases claims, with their lines, whose worker did not reach the gate in time: it died, or its job was lost. */
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
  if (returned > 0) {
    deps.log.warn({ released: returned }, 'released claims that never reached the gate');
  }
  await enqueueLineWaiters(deps, lineWaiters);
  await enqueueAdvance(deps, campaignIds);
  return { done: returned, isFull };
}
