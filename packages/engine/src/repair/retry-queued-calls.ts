import type { Swept } from '@outdial/core';
import { engineNow, findQueuedCalls, inTransaction, lockLineCaps } from '@outdial/db';
import type { EndingDeps } from '../deps.ts';
import { enqueueDirectCalls } from '../enqueue.ts';
import { endQueuedCalls } from '../progress/end-queued-calls.ts';

/** After this time without progress, a call's job may be lost. */
const lostAfterMs = 1_000;
const batch = 500;

/** Ends calls whose wait for a line has timed out, and retries the others. */
export async function retryQueuedCalls(deps: EndingDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  const { expired, waiting } = await inTransaction(deps.db, async (tx) => {
    await lockLineCaps(tx);
    const queued = await findQueuedCalls(tx, {
      now,
      olderThan: new Date(now.getTime() - lostAfterMs),
      limit: batch,
    });
    await endQueuedCalls(tx, deps, { callIds: queued.expired, reason: 'no_line_in_time' });
    return queued;
  });
  await enqueueDirectCalls(
    deps,
    waiting.map((call) => call.id),
  );
  const done = expired.length + waiting.length;
  // Without canceled calls, the next batch would be the same calls.
  return { done, isFull: done === batch && expired.length > 0 };
}
