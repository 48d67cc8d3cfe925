import { cancelQueuedCall, engineNow, findQueuedCalls, inTransaction } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueDirectCalls } from '../enqueue.ts';

/** A call that has waited this long may have lost its job. */
const lostAfterMs = 1_000;

/** Ends calls that waited for a line in vain, and has the others tried again. */
export async function retryQueuedCalls(deps: ControlDeps): Promise<{ canceled: number; retried: number }> {
  const now = await engineNow(deps.db);
  const { expired, waiting } = await inTransaction(deps.db, async (tx) => {
    const queued = await findQueuedCalls(tx, {
      now,
      olderThan: new Date(now.getTime() - lostAfterMs),
      limit: 500,
    });
    for (const callId of queued.expired)
      await cancelQueuedCall(tx, { callId, reason: 'no_line_in_time', now });
    return queued;
  });
  await enqueueDirectCalls(
    deps,
    waiting.map((call) => call.id),
  );
  return { canceled: expired.length, retried: waiting.length };
}
