import {
  closeProvider,
  engineNow,
  inTransaction,
  saveCallCheck,
  suppressRecipient,
  undoAttempt,
} from '@outdial/db';
import { enqueueAdvance, enqueueDirectCalls, enqueueLineWaiters } from '../enqueue.ts';
import { unreachedRetryMs } from '../timing.ts';
import type { GatedCall, SendDeps, Sent } from './gated-call.ts';

/**
 * Undoes the attempt of a call that was never sent, so that none is used. Without this, a look-up at a provider without idempotency could
 * only find that it does not know the call, and the call would count as possibly made. A call that was sent before stays, because
 * the result of that send is unknown.
 */
export async function undoUnsent(deps: SendDeps, call: GatedCall, retryAfterMs: number): Promise<void> {
  if (call.isRepeat === true) return;
  const { callId, gatedAt } = call.pass;
  const { callQueueTimeoutSeconds: queueTimeoutSeconds } = deps.settings;
  const now = await engineNow(deps.db);
  const retryAt = new Date(now.getTime() + retryAfterMs);
  const undone = await inTransaction(deps.db, (tx) =>
    undoAttempt(tx, { callId, gatedAt, retryAt, now, queueTimeoutSeconds, why: 'not_sent' }),
  );
  if (!undone) return;
  await deps.mediaRuntimes?.release(callId);
  await enqueueLineWaiters(deps, undone.lineWaiters);
  // Sweeps find calls that are due later.
  if (retryAfterMs > 0) return;
  if (call.campaignId !== null) await enqueueAdvance(deps, [call.campaignId]);
  else await enqueueDirectCalls(deps, [callId]);
}

/**
 * Undoes the attempt of a call whose number its organization may no longer call, because its limits were narrowed since the number was
 * accepted. The recipient gets no further attempt.
 */
export async function undoRefused(deps: SendDeps, call: GatedCall, reason: string): Promise<void> {
  const { campaignId, recipientId, organizationId } = call;
  if (campaignId === null || recipientId === null) return;
  const { callId, gatedAt } = call.pass;
  const { callQueueTimeoutSeconds: queueTimeoutSeconds } = deps.settings;
  const now = await engineNow(deps.db);
  const undone = await inTransaction(deps.db, async (tx) => {
    const args = { callId, gatedAt, retryAt: now, now, queueTimeoutSeconds, why: 'number_refused' as const };
    const back = await undoAttempt(tx, args);
    if (back) await suppressRecipient(tx, { organizationId, campaignId, recipientId, now });
    return back;
  });
  deps.log.warn(
    { call_id: callId, campaign_id: campaignId, reason },
    'the organization may not call this number',
  );
  if (!undone) return;
  await enqueueLineWaiters(deps, undone.lineWaiters);
  await enqueueAdvance(deps, [campaignId]);
}

interface Deferral {
  retryAfterMs: number;
  reason: string;
  /** No call is sent through the provider until then. */
  closes: boolean;
  /**
   * The circuit breaker set the time, and a successful probe ends it early: a recipient is due again shortly, and its campaign waits for the
   * provider. Look-ups of calls that were sent before keep to the full time, to spare a provider that fails.
   */
  endsWithProbe?: boolean;
}

/**
 * Undoes the attempt because the provider asked to wait; none is burned. A call that was sent before keeps its row and its id, because a
 * late arrival of that send would be a second call beside the next attempt. Such a call is looked up and placed again when it is due.
 */
export async function defer(
  deps: SendDeps,
  call: GatedCall,
  { retryAfterMs, reason, closes, endsWithProbe = false }: Deferral,
): Promise<Sent> {
  const { callId, gatedAt, provider } = call.pass;
  const now = await engineNow(deps.db);
  const retryAt = new Date(now.getTime() + retryAfterMs);
  deps.metrics.callDeferred?.(provider, reason);
  const close = { provider, until: retryAt, reason };
  deps.log.info(
    { call_id: callId, campaign_id: call.campaignId, reason, retry_after_ms: retryAfterMs },
    'the provider asked to wait; no attempt is used',
  );
  if (call.isRepeat === true) {
    await saveCallCheck(deps.db, callId, retryAt);
    if (closes) await closeProvider(deps.db, close);
    return 'deferred';
  }
  const back = await inTransaction(deps.db, async (tx) => {
    const { callQueueTimeoutSeconds: queueTimeoutSeconds } = deps.settings;
    const dueInMs = endsWithProbe ? Math.min(retryAfterMs, unreachedRetryMs) : retryAfterMs;
    const dueAt = new Date(now.getTime() + dueInMs);
    const args = {
      callId,
      gatedAt,
      retryAt: dueAt,
      now,
      queueTimeoutSeconds,
      why: 'provider_deferred' as const,
    };
    const taken = await undoAttempt(tx, args);
    // Also if the attempt is no longer ours: the provider asked all calls to wait.
    if (closes) await closeProvider(tx, close);
    return taken;
  });
  if (!back) return 'unknown';
  await deps.mediaRuntimes?.release(callId);
  await enqueueLineWaiters(deps, back.lineWaiters);
  return 'deferred';
}
