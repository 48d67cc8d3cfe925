import type { Swept } from '@outdial/core';
import { endWaitingForSuppressed as endWaiting, inTransaction } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance, enqueueDirectCalls } from '../enqueue.ts';

const suppressionsAtOnce = 500;

/** Ends recipients and direct calls that wait for a number which was suppressed since. */
export async function endWaitingForSuppressed(deps: ControlDeps): Promise<Swept> {
  const done = await inTransaction(deps.db, (tx) => endWaiting(tx, suppressionsAtOnce));
  await enqueueAdvance(deps, done.campaignIds);
  // Its gate cancels a direct call.
  await enqueueDirectCalls(deps, done.queuedCallIds);
  return { done: done.ended, isFull: done.looked === suppressionsAtOnce };
}
