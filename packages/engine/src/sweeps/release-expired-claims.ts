import { engineNow, findExpiredClaims, inTransaction, lockLineCaps, returnClaims } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance, enqueueLineWaiters } from '../enqueue.ts';

/** Gives back claims whose worker did not reach the gate in time, with their lines: it died, or its job was lost. */
export async function releaseExpiredClaims(deps: ControlDeps): Promise<{ released: number }> {
  const now = await engineNow(deps.db);
  const { returned, lineWaiters, campaignIds } = await inTransaction(deps.db, async (tx) => {
    await lockLineCaps(tx);
    const expired = await findExpiredClaims(tx, now, 500);
    return {
      ...(await returnClaims(tx, expired, now)),
      campaignIds: expired.map((claim) => claim.campaignId),
    };
  });
  if (returned > 0)
    deps.log.warn({ released: returned }, 'claims that never reached the gate were given back');
  await enqueueLineWaiters(deps, lineWaiters);
  await enqueueAdvance(deps, campaignIds);
  return { released: returned };
}
