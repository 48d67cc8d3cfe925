import { ConflictError, NotFoundError } from '@outdial/core';
import { type CallKey, engineNow, findCall, requestHangUps, type Tx } from '@outdial/db';
import type { EndingDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';
import { endQueuedCalls } from './end-queued-calls.ts';

/**
 * Requests the hang-up of a call in the caller's transaction. A call that waits for a line ends at once. For a call in progress, run
 * `afterCommit`; a worker then repeats the request to the provider until it confirms.
 * @throws NotFoundError · ConflictError `call_ended`
 */
export async function requestHangUpIn(
  tx: Tx,
  deps: Pick<EndingDeps, 'publisher' | 'log' | 'metrics'>,
  { organizationId, callId }: CallKey,
): Promise<{ afterCommit: () => Promise<void> }> {
  const call = await findCall(tx, { organizationId, callId });
  if (call === null) throw new NotFoundError('Call not found');
  // First, because it locks the row: the call may be placed or deferred concurrently.
  const neverPlaced = await endQueuedCalls(tx, deps, { callIds: [callId], reason: 'hung_up' });
  if (neverPlaced > 0) return { afterCommit: () => Promise.resolve() };
  const live = await requestHangUps(tx, { organizationId, callId }, await engineNow(tx));
  if (live.length === 0) throw new ConflictError('call_ended', 'The call has already ended');
  return { afterCommit: () => enqueueChecks(deps, live) };
}
