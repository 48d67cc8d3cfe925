import type { Swept } from '@outdial/core';
import { findCallsToHangUp } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';

const batch = 200;

/** Publishes checks for calls that are to be hung up: a check asks the provider, and hangs up calls that are still in progress. */
export async function hangUpCalls(deps: ControlDeps): Promise<Swept> {
  const callIds = await findCallsToHangUp(deps.db, batch);
  await enqueueChecks(deps, callIds);
  // Their checks are published; publishing the same ones again at once would not help.
  return { done: callIds.length, isFull: false };
}
