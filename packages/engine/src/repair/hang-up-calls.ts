import type { Swept } from '@outdial/core';
import { findCallsToHangUp } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';

const batch = 200;

/** Publishes checks of calls whose hang-up was requested. A check hangs up a call that is still in progress. */
export async function hangUpCalls(deps: ControlDeps): Promise<Swept> {
  const callIds = await findCallsToHangUp(deps.db, batch);
  await enqueueChecks(deps, callIds);
  // The checks do the work, so the next batch would be the same calls.
  return { done: callIds.length, isFull: false };
}
