import { performance } from 'node:perf_hooks';
import { rejectAfter, type PlaceCallRequest, type PlaceResult, type TelephonyProvider } from '@outdial/core';
import type { CallEvent } from '@outdial/db';
import { endedByUs } from '../progress/ended-by-us.ts';
import { noteProviderAnswer, noteProviderFailure } from '../provider-health/provider-circuit.ts';
import { sendMs, unreachedRetryMs } from '../timing.ts';
import type { GatedCall, SendDeps, Sent } from './gated-call.ts';
import { defer } from './not-sent.ts';
import { prepareSend } from './prepare-send.ts';
import { withDeadline } from './with-deadline.ts';
import { inSpan } from '../spans.ts';

/**
 * Sends a gated call to its provider and records the answer, without waiting for the conversation. A failure before the send undoes the
 * attempt. After a failure during the send, the call stays in `placing` and is looked up after the grace period.
 */
export async function sendCall(deps: SendDeps, call: GatedCall): Promise<Sent> {
  const ready = await prepareSend(deps, call);
  if ('sent' in ready) return ready.sent;
  const { pass } = call;
  const { provider, request, missing, wasProbe } = ready;
  const log = { call_id: pass.callId, campaign_id: call.campaignId };
  deps.metrics.callPlaced(pass.provider);
  const sentAtMs = performance.now();
  const attributes = {
    'outdial.provider': pass.provider,
    'outdial.organization_id': call.organizationId,
    'outdial.call_id': pass.callId,
  };
  const result = await inSpan('place call', { attributes, asks: 'another service' }, async (span) => {
    const answer = await place(provider, request);
    span.setAttribute('outdial.answer', answer.kind);
    return answer;
  });
  deps.metrics.providerAnswered?.(pass.provider, result.kind, performance.now() - sentAtMs);
  if (result.kind === 'ambiguous' || result.kind === 'unreachable') {
    const { kind, reason } = result;
    deps.log.warn({ ...log, provider: pass.provider, result: kind, reason }, 'the provider failed');
    const closedUntil = await noteProviderFailure(deps, { provider: pass.provider, wasProbe, why: reason });
    // The provider may have the call, so it is looked up after the grace period.
    if (kind === 'ambiguous') return 'unknown';
    const closedForMs = (closedUntil?.getTime() ?? 0) - pass.gatedAt.getTime();
    const retryAfterMs = Math.max(unreachedRetryMs, closedForMs);
    return defer(deps, call, { retryAfterMs, reason, closes: false, endsWithProbe: true });
  }
  await noteProviderAnswer(deps, { provider: pass.provider, wasProbe, atGate: pass.circuit });
  // A direct call has had this in its events since it was created.
  const at = pass.gatedAt.toISOString();
  const notes: CallEvent[] =
    missing.length === 0 || call.campaignId === null
      ? []
      : [{ type: 'prompt_placeholder_missing', at, names: missing }];
  if (request.disclosure) notes.push({ type: 'disclosure', at, ...request.disclosure });
  switch (result.kind) {
    case 'accepted':
      // Not awaited, so that the job can end. If we crash before the commit, a look-up finds the call.
      deps.progress
        .record({
          callId: pass.callId,
          accepted: { conversationId: result.conversationId, isQueued: provider.withdraw !== undefined },
          nextChangeAt: result.nextChangeAt ?? null,
          facts: result.progress ?? [],
          notes,
        })
        .catch((error: unknown) =>
          deps.log.error({ ...log, err: error }, 'could not record an accepted call'),
        );
      // This worker looks up early changes, because the scheduler may be a second late.
      if (result.nextChangeAt) {
        deps.checker.checkIn(pass.callId, result.nextChangeAt.getTime() - pass.gatedAt.getTime());
      }
      return 'accepted';
    case 'refused':
      await deps.progress.record({
        callId: pass.callId,
        withoutAcceptance: true,
        facts: [endedByUs(pass.gatedAt, result.outcome, result.externalStatus)],
        notes,
      });
      return 'refused';
    case 'defer':
      return defer(deps, call, { ...result, closes: true });
  }
}

/** If an adapter throws or ignores its deadline, the result of the send is unknown. */
async function place(provider: TelephonyProvider, request: PlaceCallRequest): Promise<PlaceResult> {
  try {
    const placed = withDeadline(sendMs, (signal) => provider.place(request, signal));
    return await rejectAfter(placed, sendMs + 500, () => new Error('no answer in time'));
  } catch (error) {
    return { kind: 'ambiguous', reason: error instanceof Error ? error.message : 'the adapter failed' };
  }
}
