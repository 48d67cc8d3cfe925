import type { Misconfiguration, PlaceResult } from '@outdial/core';
import { endCampaignPause, pauseCampaign } from '@outdial/db';
import { enqueueAdvance } from '../enqueue.ts';
import {
  isOfNumber,
  noteProviderAnswer,
  noteProviderFailure,
  noteUnknownCode,
  textOfFault,
} from '../provider-health/provider-circuit.ts';
import { agentFaultRetryMs, unreachedRetryMs } from '../timing.ts';
import { isOnlyAccepted, type GatedCall, type SendDeps } from './gated-call.ts';

/** What a provider's answer means for the attempt. */
export type JudgedAnswer =
  /** The provider may have the call. */
  | { kind: 'ambiguous' }
  /** Nobody was called, and the call is not to blame, so no attempt is used. */
  | { kind: 'not_dialed'; retryAfterMs: number; reason: string }
  | { kind: 'answered'; answer: Extract<PlaceResult, { kind: 'accepted' | 'refused' | 'defer' }> };

/** Decides whose fault an answer is, and tells the provider's circuit breaker. */
export async function judgeAnswer(
  deps: SendDeps,
  call: GatedCall,
  { result, wasProbe, isLateProbe }: { result: PlaceResult; wasProbe: boolean; isLateProbe: boolean },
): Promise<JudgedAnswer> {
  const { provider, toPhone, gatedAt, circuit } = call.pass;
  const isAcceptance = result.kind === 'accepted' && isOnlyAccepted(deps.providers.get(provider));
  const notDialed = (reason: string, closedUntil: Date | null): JudgedAnswer => {
    const closedForMs = (closedUntil?.getTime() ?? 0) - gatedAt.getTime();
    return { kind: 'not_dialed', reason, retryAfterMs: Math.max(unreachedRetryMs, closedForMs) };
  };
  const failed = (why: string, fault?: Omit<Misconfiguration, 'of'>) => {
    const log = { call_id: call.pass.callId, campaign_id: call.campaignId, provider };
    deps.log.warn({ ...log, result: result.kind, reason: why }, 'the provider failed');
    return noteProviderFailure(deps, { provider, wasProbe, why, fault, toPhone });
  };
  switch (result.kind) {
    case 'ambiguous':
      await failed(result.reason, result.fault);
      return { kind: 'ambiguous' };
    case 'unreachable':
      return notDialed(result.reason, await failed(result.reason));
    case 'misconfigured':
      if (result.of === 'agent') return faultOfAgent(deps, call, result);
      if (!(await isOfNumber(deps, { provider, toPhone, campaignId: call.campaignId }))) {
        return notDialed(result.code, await failed(result.code, result));
      }
      await noteProviderAnswer(deps, { provider, wasProbe, atGate: circuit });
      return {
        kind: 'answered',
        answer: { kind: 'refused', outcome: 'failed', externalStatus: result.code },
      };
    case 'refused': {
      if (result.isUnknownCode !== true) {
        await noteProviderAnswer(deps, { provider, wasProbe, atGate: circuit });
        break;
      }
      const { externalStatus: code } = result;
      const closedUntil = await noteUnknownCode(deps, { provider, wasProbe, code, toPhone });
      if (closedUntil !== null) return notDialed(code, closedUntil);
      break;
    }
    case 'defer':
      await noteProviderAnswer(deps, { provider, wasProbe, atGate: circuit, asksToWait: result });
      break;
    default:
      // The progress of the call is the result of such a probe.
      if (isAcceptance && isLateProbe) break;
      await noteProviderAnswer(deps, { provider, wasProbe, atGate: circuit, isAcceptance });
  }
  if (call.endsPause === true && call.campaignId !== null && result.kind !== 'defer') {
    if (await endCampaignPause(deps.db, call.campaignId)) await enqueueAdvance(deps, [call.campaignId]);
  }
  return { kind: 'answered', answer: result };
}

/**
 * A fault of the agent stops the campaign that uses it, and no other. A direct call has no other to wait with, so its caller gets the reason at
 * once.
 */
async function faultOfAgent(
  deps: SendDeps,
  { campaignId, pass }: GatedCall,
  fault: Misconfiguration,
): Promise<JudgedAnswer> {
  const error = textOfFault(fault);
  if (campaignId === null) {
    return { kind: 'answered', answer: { kind: 'refused', outcome: 'failed', externalStatus: error } };
  }
  deps.log.warn(
    { call_id: pass.callId, campaign_id: campaignId, provider: pass.provider, reason: error },
    'the agent of a campaign is not set up for calls; the campaign waits',
  );
  await pauseCampaign(deps.db, { campaignId, error, forMs: agentFaultRetryMs });
  return { kind: 'not_dialed', retryAfterMs: unreachedRetryMs, reason: fault.code };
}
