import type { Swept } from '@outdial/core';
import { engineNow, findLostWebCalls, type LostWebCall, noteReached } from '@outdial/db';
import type { EndingDeps } from '../deps.ts';
import { applyReports } from '../progress/apply-reports.ts';
import { noTimes } from '../progress/end-queued-calls.ts';
import { endedByUs } from '../progress/ended-by-us.ts';
import type { CallReport } from '../progress/fold-facts.ts';

const batch = 200;

/**
 * Ends web calls that no voice process will end, and releases their lines. A call whose browser never connected ends as canceled, and one whose
 * process died as `unknown`, which the process may still correct.
 */
export async function endLostWebCalls(deps: EndingDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  await noteReached(deps.db);
  const lost = await findLostWebCalls(deps.db, { now, limit: batch });
  if (lost.length === 0) return { done: 0, isFull: false };
  const ended = await applyReports(
    { ...deps, settings: noTimes },
    lost.map((call) => endOf(call, now)),
  );
  return { done: ended, isFull: lost.length === batch };
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
