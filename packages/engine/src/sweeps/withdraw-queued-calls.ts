import type { Swept } from '@outdial/core';
import { findQueuedGroups, inTransaction, takeBarredForCheck, takeQueuedForCheck } from '@outdial/db';
import { checkCalls } from '../calls/check-calls.ts';
import type { PlaceDeps } from '../calls/place-campaign-call.ts';
import { mayStillDial } from '../calls/withdraw-call.ts';
import { republishMs } from '../timing.ts';

/** As many requests as a provider can answer within their deadline. */
const batch = 50;
/** Several rounds of this sweep. */
const acceptedWithinMs = 15_000;

/**
 * Checks calls in a provider's queue that may no longer be dialed, so that they are withdrawn. Runs in workers, because it needs adapters. No
 * query if no provider queues calls.
 */
export async function withdrawQueuedCalls(deps: PlaceDeps): Promise<Swept> {
  const providers = [...deps.providers.values()]
    .filter((provider) => provider.withdraw !== undefined)
    .map((provider) => provider.name);
  if (providers.length === 0) return { done: 0, isFull: false };
  const barred = await inTransaction(deps.db, (tx) =>
    takeBarredForCheck(tx, { providers, acceptedWithinMs, checkAgainMs: republishMs, limit: batch }),
  );
  await checkCalls(deps, barred);
  let [done, isFull] = [barred.length, barred.length === batch];
  for (const group of await findQueuedGroups(deps.db, { providers })) {
    if (mayStillDial(group)) continue;
    // Skips calls that this or another worker has just checked.
    const nextCheckAt = new Date(group.now.getTime() + republishMs);
    const callIds = await inTransaction(deps.db, (tx) =>
      takeQueuedForCheck(tx, { ...group, providers, nextCheckAt, untilCheckAt: nextCheckAt, limit: batch }),
    );
    await checkCalls(deps, callIds);
    done += callIds.length;
    isFull ||= callIds.length === batch;
  }
  return { done, isFull };
}
