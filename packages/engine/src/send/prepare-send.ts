import {
  judgeCarrierInstructions,
  renderPrompt,
  type MediaRuntime,
  type PlaceCallRequest,
  type TelephonyProvider,
} from '@outdial/core';
import { withoutRecording, openingOfCall } from '../compliance/compliance-of-agent.ts';
import { admitSend } from '../provider-health/provider-circuit.ts';
import { sendStartMs, unreachedRetryMs } from '../timing.ts';
import type { GatedCall, SendDeps, Sent } from './gated-call.ts';
import { defer, undoUnsent } from './not-sent.ts';

interface ReadySend {
  provider: TelephonyProvider;
  request: PlaceCallRequest;
  /** Placeholders of the prompt without a value. */
  missing: string[];
  wasProbe: boolean;
  /** The probe of a provider that refuses calls after it has accepted them. */
  isLateProbe: boolean;
}

/** Collects the inputs of a send, or returns the result of a call that is not sent. */
export async function prepareSend(deps: SendDeps, call: GatedCall): Promise<ReadySend | { sent: Sent }> {
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
    const refused = judgeCarrierInstructions(call.agent.config, call.agent.instruction_rules);
    if (refused !== null) {
      const reason = 'voice_not_allowed';
      return { sent: await defer(deps, call, { retryAfterMs: 30_000, reason, closes: false }) };
    }
    const media = await deps.mediaRuntimes?.choose({
      callId: pass.callId,
      organizationId: call.organizationId,
      config: call.agent.config,
      now: pass.gatedAt,
      support: provider.media ?? { text: false, secureOnly: false },
    });
    if (media?.kind === 'wait') return { sent: await defer(deps, call, { ...media, closes: false }) };
    const mediaRuntime = media?.kind === 'chosen' ? media.runtime : null;
    // After the media server, because a call that waits for one must not use up the only probe of a broken provider.
    const admission = await admitSend(deps, pass.provider, pass.circuit);
    if (admission.kind === 'wait') {
      const retryAfterMs = admission.until.getTime() - pass.gatedAt.getTime();
      const until = { retryAfterMs, reason: 'provider_closed', closes: false, endsWithProbe: true };
      return { sent: await defer(deps, call, until) };
    }
    const { request, missing } = await requestOf(deps, call, mediaRuntime);
    if (performance.now() - call.gateBeganAtMs <= (deps.settings.sendStartMs ?? sendStartMs)) {
      const { isProbe: wasProbe, isLate: isLateProbe = false } = admission;
      return { provider, request, missing, wasProbe, isLateProbe };
    }
    deps.log.warn(log, 'the send missed its deadline');
  } catch (error) {
    await undoUnsent(deps, call, unreachedRetryMs).catch((err: unknown) =>
      deps.log.error(
        { ...log, err },
        'could not undo the attempt of an unsent call; a look-up will close the call',
      ),
    );
    throw error;
  }
  await undoUnsent(deps, call, 0);
  return { sent: 'too_late' };
}

async function requestOf(
  deps: SendDeps,
  call: GatedCall,
  mediaRuntime: MediaRuntime | null,
): Promise<{ request: PlaceCallRequest; missing: string[] }> {
  const { pass, organizationId } = call;
  const knowledgeBase = await deps.knowledgeAccess?.({
    callId: pass.callId,
    organizationId,
    skills: call.agent.skills,
    now: pass.gatedAt,
  });
  const { text: systemPrompt, missing } = renderPrompt(call.promptText, pass.promptParams);
  const { toPhone: phoneNumber, place, fromPhone } = pass;
  const opening = openingOfCall(call.agent, { phoneNumber, place, fromPhone });
  const request: PlaceCallRequest = {
    callId: pass.callId,
    organizationId,
    agentId: call.agent.id,
    campaignId: call.campaignId,
    attempt: call.attempt,
    toPhone: pass.toPhone,
    fromPhone: pass.fromPhone,
    systemPrompt,
    promptParams: pass.promptParams,
    meta: call.meta,
    knowledgeBase: knowledgeBase ?? null,
    mediaRuntime,
    agent: {
      name: call.agent.name,
      config: opening.recording === 'off' ? withoutRecording(call.agent.config) : call.agent.config,
      skills: call.agent.skills,
    },
    disclosure: opening.disclosure,
    recording: opening.recording,
    gatedAt: pass.gatedAt,
    ringTimeoutSeconds: deps.settings.ringTimeoutSeconds,
    maxCallSeconds: deps.settings.maxCallSeconds,
  };
  return { request, missing: [...missing] };
}
