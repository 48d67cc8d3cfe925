import type { Swept } from '@outdial/core';
import { findCallsToHangUp, findLiveCalls } from '@outdial/db';
import type { ControlDeps, DialingDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';
import { questionMs } from '../timing.ts';
import { referenceTo } from '../send/call-reference.ts';
import { withDeadline } from '../send/with-deadline.ts';

const batch = 200;

/** Publishes checks of calls whose hang-up was requested. A check hangs up a call that is still in progress. */
export async function hangUpCalls(deps: ControlDeps): Promise<Swept> {
  const callIds = await findCallsToHangUp(deps.db, batch);
  await enqueueChecks(deps, callIds);
  // The checks do the work, so the next batch would be the same calls.
  return { done: callIds.length, isFull: false };
}

/** Hangs up a call after an event, such as an answering machine. If the provider cannot be reached, the call ends at its longest duration. */
export async function hangUpCall(
  deps: Pick<DialingDeps, 'db' | 'log' | 'providers'>,
  callId: string,
): Promise<void> {
  const [call] = await findLiveCalls(deps.db, [callId]);
  const provider = call && deps.providers.get(call.provider);
  if (!provider) return;
  const result = await withDeadline(questionMs, (signal) => provider.hangUp(referenceTo(call), signal));
  if (result.kind !== 'unreachable') return;
  deps.log.warn(
    { call_id: callId, provider: call.provider, reason: result.reason },
    'could not hang up a call',
  );
}
