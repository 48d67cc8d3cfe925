import type { Swept } from '@outdial/core';
import { endWaitingForSuppressed as endWaiting, inTransaction } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance, enqueueDirectCalls } from '../enqueue.ts';

const suppressionsAtOnce = 500;

/** Ends waiting recipients and direct calls to suppressed numbers. */
export async function endWaitingForSuppressed(deps: ControlDeps): Promise<Swept> {
  const swept = { done: 0, isFull: false };
  for (const list of ['organizations', 'installation'] as const) {
    const { ended, looked, campaignIds, queuedCallIds } = await inTransaction(deps.db, (tx) =>
      endWaiting(tx, list, suppressionsAtOnce),
    );
    await enqueueAdvance(deps, campaignIds);
    // The gate of a direct call cancels it.
    await enqueueDirectCalls(deps, queuedCallIds);
    swept.done += ended;
    swept.isFull ||= looked === suppressionsAtOnce;
  }
  return swept;
}
