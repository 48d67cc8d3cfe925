import { closeProvider, engineNow, saveCallCheck } from '@outdial/db';
import { enqueueAdvance, enqueueDirectCalls, enqueueLineWaiters } from '../enqueue.ts';
import { unreachedRetryMs } from '../timing.ts';
import type { GatedCall, SendDeps, Sent } from './gated-call.ts';
import { undoInTurn } from './undo-in-turn.ts';

/**
 * Undoes the attempt of a call that was never sent. Otherwise, at a provider without idempotency, a look-up could not tell that, and would
 * close the call as possibly made. A repeated call stays, because the result of its first send is unknown.
 */
export async function undoUnsent(deps: SendDeps, call: GatedCall, retryAfterMs: number): Promise<void> {
  if (call.isRepeat === true) return;
  const { callId, gatedAt } = call.pass;
  const { callQueueTimeoutSeconds: queueTimeoutSeconds } = deps.settings;
  const now = await engineNow(deps.db);
  const retryAt = new Date(now.getTime() + retryAfterMs);
  const attempt = { callId, gatedAt, retryAt, now, queueTimeoutSeconds, why: 'not_sent' } as const;
  const undone = await undoInTurn(deps, call.organizationId, attempt);
  if (!undone) return;
  await deps.mediaRuntimes?.release(callId);
  await enqueueLineWaiters(deps, undone.lineWaiters);
  // Sweeps start calls that are due later.
  if (retryAfterMs > 0) return;
  if (call.campaignId !== null) await enqueueAdvance(deps, [call.campaignId]);
  else await enqueueDirectCalls(deps, [callId]);
}

interface Deferral {
  retryAfterMs: number;
  reason: string;
  /** Also closes the provider for all other calls until then. */
  closes: boolean;
  /**
   * The circuit breaker set the time, and a successful probe may end it early. So a recipient is due again shortly, while its campaign waits
   * for the provider. Repeated calls wait for the full time, to spare a failing provider.
   */
  endsWithProbe?: boolean;
}

/**
 * Undoes the attempt because the provider asked to wait. A repeated call keeps its row and id, because its first send may arrive late and would be a
 * second call in addition to the next attempt. It is looked up and sent again when it is due.
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
  const dueInMs = endsWithProbe ? Math.min(retryAfterMs, unreachedRetryMs) : retryAfterMs;
  // Even if the attempt is no longer ours, because the provider asked all calls to wait; and at once.
  if (closes) await closeProvider(deps.db, close);
  const { callQueueTimeoutSeconds: queueTimeoutSeconds } = deps.settings;
  const dueAt = new Date(now.getTime() + dueInMs);
  const undone = await undoInTurn(deps, call.organizationId, {
    callId,
    gatedAt,
    retryAt: dueAt,
    now,
    queueTimeoutSeconds,
    why: 'provider_deferred',
  });
  if (!undone) return 'unknown';
  await deps.mediaRuntimes?.release(callId);
  await enqueueLineWaiters(deps, undone.lineWaiters);
  if (call.campaignId === null) {
    deps.timers.set(`place ${callId}`, dueInMs, () => enqueueDirectCalls(deps, [callId]));
  }
  return 'deferred';
}
