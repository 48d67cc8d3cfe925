import { ConflictError, NotFoundError } from '@outdial/core';
import { engineNow, findCall, requestHangUps, type Tx } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';
import { endQueuedCalls } from '../progress/end-queued-calls.ts';

/**
 * Has a call hung up, in the caller's transaction. One that waits for its line ends at once; for one in progress run `afterCommit`, and a
 * worker asks its provider, again and again until it confirms.
 * @throws NotFoundError · ConflictError `call_ended`
 */
export async function requestHangUpIn(
  tx: Tx,
  deps: Pick<ControlDeps, 'publisher' | 'log'>,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<{ afterCommit: () => Promise<void> }> {
  const call = await findCall(tx, { organizationId, callId });
  if (call === null) throw new NotFoundError('Call not found');
  const neverPlaced =
    call.phase === 'queued' ? await endQueuedCalls(tx, { callIds: [callId], reason: 'hung_up' }) : 0;
  if (neverPlaced > 0) return { afterCommit: () => Promise.resolve() };
  // What waited a moment ago may have been placed meanwhile.
  const live = await requestHangUps(tx, { organizationId, callId }, await engineNow(tx));
  if (live.length === 0) throw new ConflictError('call_ended', 'The call has ended');
  return { afterCommit: () => enqueueChecks(deps, live) };
}
