import { engineNow, findQueuedCalls, inTransaction, lockLineCaps } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueDirectCalls } from '../enqueue.ts';
import { endQueuedCalls } from '../progress/end-queued-calls.ts';

/** A call that has waited this long may have lost its job. */
const lostAfterMs = 1_000;

/** Ends calls that waited for a line in vain, and has the others tried again. */
export async function retryQueuedCalls(deps: ControlDeps): Promise<{ canceled: number; retried: number }> {
  const now = await engineNow(deps.db);
  const { expired, waiting } = await inTransaction(deps.db, async (tx) => {
    await lockLineCaps(tx);
    const queued = await findQueuedCalls(tx, {
      now,
      olderThan: new Date(now.getTime() - lostAfterMs),
      limit: 500,
    });
    await endQueuedCalls(tx, { callIds: queued.expired, reason: 'no_line_in_time' });
    return queued;
  });
  await enqueueDirectCalls(
    deps,
    waiting.map((call) => call.id),
  );
  return { canceled: expired.length, retried: waiting.length };
}
