import { type CallReference, type TelephonyProvider } from '@outdial/core';
import {
  engineNow,
  forbids,
  inTransaction,
  judgeCall,
  lockCall,
  saveCallCheck,
  whileQueued,
  type GateReason,
  type LiveCall,
} from '@outdial/db';
import { enqueueLineWaiters } from '../enqueue.ts';
import { isUnderRules, readCallTerms } from '../gate/call-terms.ts';
import { longestEndOf } from '../progress/next-check.ts';
import { questionMs, unreachableRetryMs } from '../timing.ts';
import type { SendDeps } from '../send/gated-call.ts';
import { undoInTurn } from '../send/undo-in-turn.ts';
import { withDeadline } from '../send/with-deadline.ts';

/** If another party cancels a call at the provider, the recipient is not retried at once, because there may be a reason. */
export const canceledElsewhereRetryMs = 60_000;

export type Withdrawn =
  | { kind: 'undone' }
  /** The call was canceled, and there is no attempt to undo. The caller records the end. */
  | { kind: 'canceled'; why: Shut }
  | { kind: 'deferred' }
  /** The call may be dialed, or was dialed already. */
  | { kind: 'not_withdrawn' };

type Shut = GateReason | 'waited_too_long';

/**
 * Withdraws a call from its provider's queue if a condition of the gate no longer holds or it has waited too long. Undoes the attempt; a direct
 * call has none and is canceled.
 *
 * Asks the provider first. If we crash after its answer, the next look-up undoes the attempt.
 */
export async function withdrawIfShut(
  deps: SendDeps,
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

async function whyShut(deps: SendDeps, call: LiveCall): Promise<Shut | null> {
  const refusal = await judgeQueued(deps, call.id);
  if (forbids(refusal)) return refusal;
  return call.now >= longestEndOf(call, deps.settings) ? 'waited_too_long' : null;
}

async function judgeQueued(deps: SendDeps, callId: string): Promise<GateReason | null> {
  return inTransaction(deps.db, async (tx) => {
    // Many checks that wait for a long change of their organization would hold all connections. The sweep asks again when it is over.
    const call = await lockCall(tx, callId, { waits: false });
    if (call === null || 'heldOf' in call) return null;
    const terms = await readCallTerms(tx, call, { isSent: false });
    // Other rules than those in force say nothing about a call that has passed its gate.
    if (!isUnderRules(call)) return null;
    return judgeCall(tx, callId, whileQueued(terms, deps.settings.callQueueTimeoutSeconds));
  });
}

/** Undoes the attempt of a call that was withdrawn at its provider. False if the call has changed, or belongs to no campaign. */
export async function undoWithdrawnAttempt(
  deps: SendDeps,
  call: LiveCall,
  { retryAfterMs, why }: { retryAfterMs: number; why: 'suppressed' | 'withdrawn_at_provider' },
): Promise<boolean> {
  if (call.recipient_id === null) return false;
  const now = await engineNow(deps.db);
  const undone = await undoInTurn(deps, call.organization_id, {
    callId: call.id,
    gatedAt: call.gated_at,
    retryAt: new Date(now.getTime() + retryAfterMs),
    now,
    queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
    why,
    isWithdrawn: true,
  });
  if (!undone) return false;
  deps.log.info(
    { call_id: call.id, campaign_id: call.campaign_id, provider: call.provider },
    'a call queued at its provider was withdrawn; no attempt is used',
  );
  await enqueueLineWaiters(
    deps,
    undone.lineWaiters,
    ...(call.campaign_id === null ? [] : [call.campaign_id]),
  );
  return true;
}
