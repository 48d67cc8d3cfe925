import { renderPrompt, type PlaceCallRequest, type PlaceResult, type TelephonyProvider } from '@outdial/core';
import {
  closeProvider,
  engineNow,
  inTransaction,
  saveCallCheck,
  undoAttempt,
  type AgentContext,
  type GatePass,
} from '@outdial/db';
import type { DialingDeps } from '../deps.ts';
import { enqueueAdvance, enqueueDirectCalls, enqueueLineWaiters } from '../enqueue.ts';
import type { ProgressRecorder } from '../progress/recorder.ts';
import { sendMs, sendStartMs, unreachedRetryMs } from '../timing.ts';
import type { CallChecker } from './call-checker.ts';
import { admitSend, noteProviderAnswer, noteProviderFailure } from '../provider-health/provider-circuit.ts';
import { withDeadline } from './with-deadline.ts';

export interface SendDeps extends DialingDeps {
  progress: ProgressRecorder;
  checker: CallChecker;
}

/** A call that has passed its gate. */
export interface GatedCall {
  pass: GatePass;
  organizationId: string;
  agent: Pick<AgentContext, 'id' | 'name' | 'config' | 'skills'>;
  promptText: string;
  campaignId: string | null;
  recipientId: string | null;
  attempt: number;
  fromPhone: string | null;
  meta: Record<string, unknown>;
  /** Of `performance.now()`, before the gate's statement was sent. */
  gateBeganAtMs: number;
  /** It was sent before, and nobody knows what became of that: its id and its row must stay. */
  isRepeat?: boolean;
}

export type Sent = 'accepted' | 'refused' | 'deferred' | 'unknown' | 'too_late';

/**
 * Hands a gated call to its provider, once, and records the answer. It does not wait for the conversation.
 * Whatever ends it before the send undoes the attempt: nobody was called. What ends it after that leaves the call as being placed, to
 * be looked up after the grace.
 */
export async function sendCall(deps: SendDeps, call: GatedCall): Promise<Sent> {
  const ready = await prepareSend(deps, call);
  if ('sent' in ready) return ready.sent;
  const { pass } = call;
  const { provider, request, missing, wasProbe } = ready;
  const log = { call_id: pass.callId, campaign_id: call.campaignId };
  deps.metrics.callPlaced(pass.provider);
  const result = await place(provider, request);
  if (result.kind === 'ambiguous' || result.kind === 'unreachable') {
    const { kind, reason } = result;
    deps.log.warn({ ...log, provider: pass.provider, result: kind, reason }, 'the provider failed');
    const closedUntil = await noteProviderFailure(deps, { provider: pass.provider, wasProbe, why: reason });
    // It may or may not have the call: looked up after the grace.
    if (kind === 'ambiguous') return 'unknown';
    const closedForMs = (closedUntil?.getTime() ?? 0) - pass.gatedAt.getTime();
    const retryAfterMs = Math.max(unreachedRetryMs, closedForMs);
    return defer(deps, call, { retryAfterMs, reason, closes: false });
  }
  await noteProviderAnswer(deps, { provider: pass.provider, wasProbe, atGate: pass.circuit });
  // A direct call has had this in its events since it was written.
  const notes =
    missing.length === 0 || call.campaignId === null
      ? []
      : [{ type: 'prompt_placeholder_missing', at: pass.gatedAt.toISOString(), names: missing }];
  switch (result.kind) {
    case 'accepted':
      // The job ends here, and makes room for the next; what is lost before the commit is found by a look-up.
      deps.progress
        .record({
          callId: pass.callId,
          accepted: { conversationId: result.conversationId, isQueued: provider.withdraw !== undefined },
          nextChangeAt: result.nextChangeAt ?? null,
          facts: result.progress ?? [],
          notes,
        })
        .catch((error: unknown) =>
          deps.log.error({ ...log, err: error }, 'an accepted call was not recorded'),
        );
      watchNextChange(deps, pass, result.nextChangeAt ?? null);
      return 'accepted';
    case 'refused':
      await deps.progress.record({
        callId: pass.callId,
        withoutAcceptance: true,
        facts: [
          {
            kind: 'ended',
            eventId: null,
            at: pass.gatedAt,
            outcome: result.outcome,
            details: { externalStatus: result.externalStatus },
          },
        ],
        notes,
      });
      return 'refused';
    case 'defer':
      return defer(deps, call, { ...result, closes: true });
  }
}

interface ReadySend {
  provider: TelephonyProvider;
  request: PlaceCallRequest;
  /** Placeholders of the prompt without a value. */
  missing: string[];
  wasProbe: boolean;
}

/** What is left to do before a send; or what became of a call that is not sent. */
async function prepareSend(deps: SendDeps, call: GatedCall): Promise<ReadySend | { sent: Sent }> {
  const { pass } = call;
  const log = { call_id: pass.callId, campaign_id: call.campaignId };
  try {
    const provider = deps.providers.get(pass.provider);
    if (!provider) {
      deps.log.error(
        { ...log, provider: pass.provider },
        'this worker has no adapter for the provider; deferred',
      );
      return { sent: await defer(deps, call, { retryAfterMs: 30_000, reason: 'no_adapter', closes: true }) };
    }
    const admission = await admitSend(deps, pass.provider, pass.circuit);
    if (admission.kind === 'wait') {
      const retryAfterMs = admission.until.getTime() - pass.gatedAt.getTime();
      return { sent: await defer(deps, call, { retryAfterMs, reason: 'provider_closed', closes: false }) };
    }
    const { request, missing } = await requestOf(deps, call);
    if (performance.now() - call.gateBeganAtMs <= sendStartMs) {
      return { provider, request, missing, wasProbe: admission.isProbe };
    }
    deps.log.warn(log, 'the send would have begun after its deadline');
  } catch (error) {
    await undoUnsent(deps, call, unreachedRetryMs).catch((err: unknown) =>
      deps.log.error({ ...log, err }, 'a call that was not sent is left to a look-up'),
    );
    throw error;
  }
  await undoUnsent(deps, call, 0);
  return { sent: 'too_late' };
}

async function requestOf(
  deps: SendDeps,
  call: GatedCall,
): Promise<{ request: PlaceCallRequest; missing: string[] }> {
  const { pass, organizationId } = call;
  const knowledgeBase = await deps.knowledgeAccess?.({
    callId: pass.callId,
    organizationId,
    skills: call.agent.skills,
    now: pass.gatedAt,
  });
  const { text: systemPrompt, missing } = renderPrompt(call.promptText, pass.promptParams);
  const request: PlaceCallRequest = {
    callId: pass.callId,
    organizationId,
    agentId: call.agent.id,
    campaignId: call.campaignId,
    attempt: call.attempt,
    toPhone: pass.toPhone,
    fromPhone: call.fromPhone,
    systemPrompt,
    promptParams: pass.promptParams,
    meta: call.meta,
    knowledgeBase: knowledgeBase ?? null,
    agent: { name: call.agent.name, config: call.agent.config, skills: call.agent.skills },
    gatedAt: pass.gatedAt,
    ringTimeoutSeconds: deps.settings.ringTimeoutSeconds,
    maxCallSeconds: deps.settings.maxCallSeconds,
  };
  return { request, missing: [...missing] };
}

/**
 * Undoes the attempt of a call that was never sent; no attempt is used. Left to a look-up, a provider without idempotency could
 * only say that it does not know the call, and it would count as a call that may have been made. One that was sent before stays:
 * nobody knows what became of that.
 */
async function undoUnsent(deps: SendDeps, call: GatedCall, retryAfterMs: number): Promise<void> {
  if (call.isRepeat === true) return;
  const { callId, gatedAt } = call.pass;
  const { callQueueTimeoutSeconds: queueTimeoutSeconds } = deps.settings;
  const now = await engineNow(deps.db);
  const retryAt = new Date(now.getTime() + retryAfterMs);
  const undone = await inTransaction(deps.db, (tx) =>
    undoAttempt(tx, { callId, gatedAt, retryAt, now, queueTimeoutSeconds }),
  );
  if (!undone) return;
  await enqueueLineWaiters(deps, undone.lineWaiters);
  // Sweeps see what is due later.
  if (retryAfterMs > 0) return;
  if (call.campaignId !== null) await enqueueAdvance(deps, [call.campaignId]);
  else await enqueueDirectCalls(deps, [callId]);
}

/** A change that is near is looked up by this worker; the scheduler would see it up to a second late. */
function watchNextChange(deps: SendDeps, pass: GatePass, nextChangeAt: Date | null): void {
  if (nextChangeAt === null) return;
  deps.checker.checkIn(pass.callId, nextChangeAt.getTime() - pass.gatedAt.getTime());
}

/** An adapter that throws, or does not heed its deadline, has left the call's fate open. */
async function place(provider: TelephonyProvider, request: PlaceCallRequest): Promise<PlaceResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<PlaceResult>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'ambiguous', reason: 'no answer in time' }), sendMs + 500);
  });
  try {
    return await Promise.race([withDeadline(sendMs, (signal) => provider.place(request, signal)), late]);
  } catch (error) {
    return { kind: 'ambiguous', reason: error instanceof Error ? error.message : 'the adapter failed' };
  } finally {
    clearTimeout(timer);
  }
}

interface Deferral {
  retryAfterMs: number;
  reason: string;
  /** Nobody dials through the provider until then. */
  closes: boolean;
}

/**
 * Not now: the attempt is taken back, none is burned. One that was sent before keeps its row and its id, since a send that
 * arrives late would otherwise be a second call beside the next attempt; it is looked up and placed again when the time has come.
 */
async function defer(
  deps: SendDeps,
  call: GatedCall,
  { retryAfterMs, reason, closes }: Deferral,
): Promise<Sent> {
  const { callId, gatedAt, provider } = call.pass;
  const now = await engineNow(deps.db);
  const retryAt = new Date(now.getTime() + retryAfterMs);
  deps.metrics.callDeferred?.(provider, reason);
  const close = { provider, until: retryAt, reason };
  deps.log.info(
    { call_id: callId, campaign_id: call.campaignId, reason, retry_after_ms: retryAfterMs },
    'the provider has to be waited for; no attempt is used',
  );
  if (call.isRepeat === true) {
    await saveCallCheck(deps.db, callId, retryAt);
    if (closes) await closeProvider(deps.db, close);
    return 'deferred';
  }
  const back = await inTransaction(deps.db, async (tx) => {
    const { callQueueTimeoutSeconds: queueTimeoutSeconds } = deps.settings;
    const taken = await undoAttempt(tx, { callId, gatedAt, retryAt, now, queueTimeoutSeconds });
    if (taken && closes) await closeProvider(tx, close);
    return taken;
  });
  if (!back) return 'unknown';
  await enqueueLineWaiters(deps, back.lineWaiters);
  return 'deferred';
}
