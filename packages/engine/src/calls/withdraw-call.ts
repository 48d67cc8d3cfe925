import { dialingWindow, type CallReference, type TelephonyProvider } from '@outdial/core';
import {
  engineNow,
  findQueuedGroups,
  inTransaction,
  isConsentOver,
  isSuppressed,
  saveCallCheck,
  undoAttempt,
  type LiveCall,
  type QueuedGroup,
} from '@outdial/db';
import { enqueueAdvance, enqueueLineWaiters } from '../enqueue.ts';
import { longestEndOf } from '../progress/next-check.ts';
import { questionMs, unreachableRetryMs } from '../timing.ts';
import type { PlaceDeps } from './place-campaign-call.ts';
import { withDeadline } from './with-deadline.ts';

/** The delay before a recipient is due again whose call was canceled at the provider by another party: not at once, as there was a reason. */
export const canceledElsewhereRetryMs = 60_000;

/** Whether calls of this group that wait at a provider may still be dialed. */
export function mayStillDial({ status, schedule, timezone, now }: QueuedGroup): boolean {
  return status === 'running' && dialingWindow(schedule, timezone, now).kind === 'open';
}

export type Withdrawn =
  | { kind: 'undone' }
  /** The person was not called, and there is no attempt to undo. The caller records the end. */
  | { kind: 'canceled'; why: Shut }
  /** The provider could not be asked. */
  | { kind: 'put_off' }
  /** The call may be dialed or was dialed, so it continues. */
  | { kind: 'not_taken_back' };

/** Why the call must not be made any more. */
type Shut = 'campaign_shut' | 'waited_too_long' | 'suppressed' | 'no_consent' | 'no_line_in_time';

/**
 * Withdraws a call that still waits in its provider's queue but must not be made any more: its campaign was paused or
 * ended, its window has closed, its number was suppressed, the consent that it relies on is over, or it has waited too long. The attempt was
 * never placed, so it is undone; a direct call has no attempt, and is canceled.
 *
 * The provider is asked first. If we crash after its answer, the next look-up undoes the attempt.
 */
export async function withdrawIfShut(
  deps: PlaceDeps,
  provider: TelephonyProvider,
  call: LiveCall,
  reference: CallReference,
): Promise<Withdrawn> {
  const withdraw = provider.withdraw?.bind(provider);
  const why = withdraw && call.phase === 'placing' ? await whyShut(deps, call) : null;
  if (!withdraw || why === null) return { kind: 'not_taken_back' };
  const result = await withDeadline(questionMs, (signal) => withdraw(reference, signal));
  switch (result.kind) {
    case 'withdrawn':
      return (await undoWithdrawnAttempt(deps, call, {
        retryAfterMs: 0,
        why: why === 'suppressed' ? why : 'withdrawn_at_provider',
      }))
        ? { kind: 'undone' }
        : { kind: 'canceled', why };
    case 'too_late':
      return { kind: 'not_taken_back' };
    case 'unreachable':
      deps.log.warn(
        { call_id: call.id, provider: call.provider, reason: result.reason },
        'a queued call could not be withdrawn',
      );
      await saveCallCheck(deps.db, call.id, new Date(call.now.getTime() + unreachableRetryMs));
      return { kind: 'put_off' };
  }
}

async function whyShut(deps: PlaceDeps, call: LiveCall): Promise<Shut | null> {
  if (await isSuppressed(deps.db, { organizationId: call.organizationId, phoneNumber: call.toPhone })) {
    return 'suppressed';
  }
  if (call.recipientId === null) {
    // A provider's queue counts as waiting for a line: a direct call waits there no longer than it would here.
    const waitedMs = call.now.getTime() - call.gatedAt.getTime();
    return waitedMs >= deps.settings.callQueueTimeoutSeconds * 1000 ? 'no_line_in_time' : null;
  }
  if (await isConsentOver(deps.db, call.id)) return 'no_consent';
  if (call.now >= longestEndOf(call, deps.settings)) return 'waited_too_long';
  const [group] = await findQueuedGroups(deps.db, { providers: [call.provider], callId: call.id });
  return group !== undefined && !mayStillDial(group) ? 'campaign_shut' : null;
}

/** Undoes the attempt of a call that was withdrawn at its provider. False if the call has moved on, or belongs to no campaign. */
export async function undoWithdrawnAttempt(
  deps: PlaceDeps,
  call: LiveCall,
  { retryAfterMs, why }: { retryAfterMs: number; why: 'suppressed' | 'withdrawn_at_provider' },
): Promise<boolean> {
  if (call.recipientId === null) return false;
  const now = await engineNow(deps.db);
  const back = await inTransaction(deps.db, (tx) =>
    undoAttempt(tx, {
      callId: call.id,
      gatedAt: call.gatedAt,
      retryAt: new Date(now.getTime() + retryAfterMs),
      now,
      queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
      why,
      isWithdrawn: true,
    }),
  );
  if (!back) return false;
  deps.log.info(
    { call_id: call.id, campaign_id: call.campaignId, provider: call.provider },
    'a call that waited at its provider was withdrawn; no attempt is used',
  );
  await enqueueLineWaiters(deps, back.lineWaiters);
  if (call.campaignId !== null) await enqueueAdvance(deps, [call.campaignId]);
  return true;
}
