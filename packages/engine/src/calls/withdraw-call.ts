import { dialingWindow, type CallReference, type TelephonyProvider } from '@outdial/core';
import {
  engineNow,
  findQueuedGroups,
  inTransaction,
  isConsentOver,
  isNumberSuppressed,
  saveCallCheck,
  undoAttempt,
  type LiveCall,
  type QueuedGroup,
} from '@outdial/db';
import { enqueueLineWaiters } from '../enqueue.ts';
import { longestEndOf } from '../progress/next-check.ts';
import { questionMs, unreachableRetryMs } from '../timing.ts';
import type { PlaceDeps } from './place-campaign-call.ts';
import { withDeadline } from './with-deadline.ts';

/** If another party cancels a call at the provider, the recipient is not retried at once, because there may be a reason. */
export const canceledElsewhereRetryMs = 60_000;

/** Whether calls of this group that are queued at a provider may still be dialed. */
export function mayStillDial({ status, schedule, timezone, now }: QueuedGroup): boolean {
  return status === 'running' && dialingWindow(schedule, timezone, now).kind === 'open';
}

export type Withdrawn =
  | { kind: 'undone' }
  /** The call was canceled, and there is no attempt to undo. The caller records the end. */
  | { kind: 'canceled'; why: Shut }
  /** The provider could not be reached. */
  | { kind: 'deferred' }
  /** The call may be dialed, or was dialed already. */
  | { kind: 'not_withdrawn' };

type Shut = 'campaign_shut' | 'waited_too_long' | 'suppressed' | 'no_consent' | 'no_line_in_time';

/**
 * Withdraws a call from its provider's queue if it may no longer be dialed: its campaign was paused or ended, its window has closed, its
 * number was suppressed, its consent is over, or it has waited too long. Undoes the attempt; a direct call has none and is canceled.
 *
 * Asks the provider first. If we crash after its answer, the next look-up undoes the attempt.
 */
export async function withdrawIfShut(
  deps: PlaceDeps,
  provider: TelephonyProvider,
  call: LiveCall,
  reference: CallReference,
): Promise<Withdrawn> {
  const withdraw = provider.withdraw?.bind(provider);
  const why = withdraw && call.phase === 'placing' ? await whyShut(deps, call) : null;
  if (!withdraw || why === null) return { kind: 'not_withdrawn' };
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
      return { kind: 'not_withdrawn' };
    case 'unreachable':
      deps.log.warn(
        { call_id: call.id, provider: call.provider, reason: result.reason },
        'could not withdraw a queued call',
      );
      await saveCallCheck(deps.db, call.id, new Date(call.now.getTime() + unreachableRetryMs));
      return { kind: 'deferred' };
  }
}

async function whyShut(deps: PlaceDeps, call: LiveCall): Promise<Shut | null> {
  if (await isNumberSuppressed(deps.db, { organizationId: call.organizationId, phoneNumber: call.toPhone })) {
    return 'suppressed';
  }
  if (call.recipientId === null) {
    // Waiting in a provider's queue counts as waiting for a line.
    const waitedMs = call.now.getTime() - call.gatedAt.getTime();
    return waitedMs >= deps.settings.callQueueTimeoutSeconds * 1000 ? 'no_line_in_time' : null;
  }
  if (await isConsentOver(deps.db, call.id)) return 'no_consent';
  if (call.now >= longestEndOf(call, deps.settings)) return 'waited_too_long';
  const [group] = await findQueuedGroups(deps.db, { providers: [call.provider], callId: call.id });
  return group !== undefined && !mayStillDial(group) ? 'campaign_shut' : null;
}

/** Undoes the attempt of a call that was withdrawn at its provider. False if the call has changed, or belongs to no campaign. */
export async function undoWithdrawnAttempt(
  deps: PlaceDeps,
  call: LiveCall,
  { retryAfterMs, why }: { retryAfterMs: number; why: 'suppressed' | 'withdrawn_at_provider' },
): Promise<boolean> {
  if (call.recipientId === null) return false;
  const now = await engineNow(deps.db);
  const undone = await inTransaction(deps.db, (tx) =>
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
  if (!undone) return false;
  deps.log.info(
    { call_id: call.id, campaign_id: call.campaignId, provider: call.provider },
    'a call queued at its provider was withdrawn; no attempt is used',
  );
  await enqueueLineWaiters(deps, undone.lineWaiters, ...(call.campaignId === null ? [] : [call.campaignId]));
  return true;
}
