import { setTimeout as sleep } from 'node:timers/promises';
import { renderPrompt, type PlaceCallRequest, type PlaceResult } from '@outdial/core';
import {
  closeProvider,
  engineNow,
  inTransaction,
  takeBackAttempt,
  type AgentContext,
  type GatePass,
} from '@outdial/db';
import type { DialingDeps } from '../deps.ts';
import { hintHeirs } from '../hints.ts';
import type { ProgressRecorder } from '../progress/recorder.ts';
import { sendMs, sendStartMs } from '../timing.ts';
import type { CallChecker } from './call-checker.ts';

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
}

export type Sent = 'accepted' | 'refused' | 'deferred' | 'unknown' | 'too_late';

/**
 * Hands a gated call to its provider, once, and records the answer. It does not wait for the conversation.
 * Whatever ends it early leaves the call as being placed, to be looked up after the grace.
 */
export async function sendCall(deps: SendDeps, call: GatedCall): Promise<Sent> {
  const { pass } = call;
  const log = { call_id: pass.callId, campaign_id: call.campaignId };
  const provider = deps.providers.get(pass.provider);
  if (!provider) {
    deps.log.error(
      { ...log, provider: pass.provider },
      'this worker has no adapter for the provider; deferred',
    );
    return await defer(deps, call, { kind: 'defer', retryAfterMs: 30_000, reason: 'no_adapter' });
  }
  const { text: systemPrompt, missing } = renderPrompt(call.promptText, pass.promptParams);
  const request: PlaceCallRequest = {
    callId: pass.callId,
    organizationId: call.organizationId,
    agentId: call.agent.id,
    campaignId: call.campaignId,
    attempt: call.attempt,
    toPhone: pass.toPhone,
    fromPhone: call.fromPhone,
    systemPrompt,
    promptParams: pass.promptParams,
    meta: call.meta,
    agent: { name: call.agent.name, config: call.agent.config, skills: call.agent.skills },
    gatedAt: pass.gatedAt,
    ringTimeoutSeconds: deps.settings.ringTimeoutSeconds,
    maxCallSeconds: deps.settings.maxCallSeconds,
  };
  if (performance.now() - call.gateBeganAtMs > sendStartMs) {
    deps.log.warn(log, 'the send would have begun after its deadline; left to a look-up');
    return 'too_late';
  }
  deps.metrics.callPlaced(pass.provider);
  const result = await place(provider.place(request, AbortSignal.timeout(sendMs)));
  const notes =
    missing.length === 0
      ? []
      : [{ type: 'prompt_placeholder_missing', at: pass.gatedAt.toISOString(), names: missing }];
  switch (result.kind) {
    case 'accepted':
      await deps.progress.record({
        callId: pass.callId,
        accepted: { conversationId: result.conversationId },
        nextChangeAt: result.nextChangeAt ?? null,
        facts: result.progress ?? [],
        notes,
      });
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
      return await defer(deps, call, result);
    case 'ambiguous':
      deps.log.warn(
        { ...log, reason: result.reason },
        'the provider may or may not have the call; it will be looked up',
      );
      return 'unknown';
  }
}

/** A change that is near is looked up by this worker; the scheduler would see it up to a second late. */
function watchNextChange(deps: SendDeps, pass: GatePass, nextChangeAt: Date | null): void {
  if (nextChangeAt === null) return;
  deps.checker.checkIn(pass.callId, nextChangeAt.getTime() - pass.gatedAt.getTime());
}

/** An adapter that throws, or does not heed its deadline, has left the call's fate open. */
async function place(placing: Promise<PlaceResult>): Promise<PlaceResult> {
  const late = new AbortController();
  try {
    return await Promise.race([
      placing,
      sleep(sendMs + 500, { kind: 'ambiguous', reason: 'no answer in time' } as const, {
        signal: late.signal,
      }),
    ]);
  } catch (error) {
    return { kind: 'ambiguous', reason: error instanceof Error ? error.message : 'the adapter failed' };
  } finally {
    late.abort();
  }
}

async function defer(
  deps: SendDeps,
  call: GatedCall,
  result: { kind: 'defer'; retryAfterMs: number; reason: string },
): Promise<Sent> {
  const now = await engineNow(deps.db);
  const retryAt = new Date(now.getTime() + result.retryAfterMs);
  const back = await inTransaction(deps.db, async (tx) => {
    const taken = await takeBackAttempt(tx, {
      callId: call.pass.callId,
      gatedAt: call.pass.gatedAt,
      retryAt,
      now,
      queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
    });
    if (taken)
      await closeProvider(tx, { provider: call.pass.provider, until: retryAt, reason: result.reason });
    return taken;
  });
  if (!back) return 'unknown';
  deps.log.info(
    {
      call_id: call.pass.callId,
      campaign_id: call.campaignId,
      reason: result.reason,
      retry_after_ms: result.retryAfterMs,
    },
    'the provider asks to wait; no attempt was used',
  );
  await hintHeirs(deps, back.heirs);
  return 'deferred';
}
