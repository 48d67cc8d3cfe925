import type { Swept } from '@outdial/core';
import {
  engineNow,
  findQueuedCalls,
  inTransaction,
  lockLineCaps,
  findLostWebCalls,
  type LostWebCall,
  noteReached,
  endWaitingForSuppressed as endWaiting,
} from '@outdial/db';
import type { EndingDeps, ControlDeps } from '../deps.ts';
import { enqueueDirectCalls, enqueueAdvance } from '../enqueue.ts';
import { endQueuedCalls, noTimes } from '../progress/end-queued-calls.ts';
import { applyReports } from '../progress/apply-reports.ts';
import { endedByUs } from '../progress/ended-by-us.ts';
import type { CallReport } from '../progress/fold-facts.ts';

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

const webCallsAtOnce = 200;

/**
 * Ends web calls that no voice process will end, and releases their lines. A call whose browser never connected ends as canceled, and one whose
 * process died as `unknown`, which the process may still correct.
 */
export async function endLostWebCalls(deps: EndingDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  await noteReached(deps.db);
  const lost = await findLostWebCalls(deps.db, { now, limit: webCallsAtOnce });
  if (lost.length === 0) return { done: 0, isFull: false };
  const ended = await applyReports(
    { ...deps, settings: noTimes },
    lost.map((call) => endOf(call, now)),
  );
  return { done: ended, isFull: lost.length === webCallsAtOnce };
}

function endOf({ id, reason }: LostWebCall, at: Date): CallReport {
  const isCanceled = reason === 'never_connected' || reason === 'hung_up';
  const outcome = isCanceled ? 'canceled' : 'unknown';
  return {
    callId: id,
    withoutAcceptance: true,
    facts: [endedByUs(at, outcome, reason)],
  };
}

const suppressionsAtOnce = 500;

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
