import { performance } from 'node:perf_hooks';
import { rejectAfter, type PlaceCallRequest, type PlaceResult, type TelephonyProvider } from '@outdial/core';
import type { CallEvent } from '@outdial/db';
import { endedByUs } from '../progress/ended-by-us.ts';
import { sendMs } from '../timing.ts';
import { isOnlyAccepted, type GatedCall, type SendDeps, type Sent } from './gated-call.ts';
import { judgeAnswer } from './judge-answer.ts';
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
  const { provider, request, missing, wasProbe, isLateProbe } = ready;
  const log = { call_id: pass.callId, campaign_id: call.campaignId };
  deps.metrics.callPlaced(pass.provider);
  const sentAtMs = performance.now();
  const attributes = {
    'outdial.provider': pass.provider,
    'outdial.organization_id': call.organizationId,
    'outdial.call_id': pass.callId,
  };
  const result = await inSpan('place call', { attributes, asks: 'another service' }, async (span) => {
    const placed = await place(provider, request);
    span.setAttribute('outdial.answer', placed.kind);
    return placed;
  });
  deps.metrics.providerAnswered?.(pass.provider, result.kind, performance.now() - sentAtMs);
  const judged = await judgeAnswer(deps, call, { result, wasProbe, isLateProbe });
  // The provider may have the call, so it is looked up after the grace period.
  if (judged.kind === 'ambiguous') return 'unknown';
  if (judged.kind === 'not_dialed') {
    return defer(deps, call, { ...judged, closes: false, endsWithProbe: true });
  }
  // A direct call has had this in its events since it was created.
  const at = pass.gatedAt.toISOString();
  const notes: CallEvent[] =
    missing.length === 0 || call.campaignId === null
      ? []
      : [{ type: 'prompt_placeholder_missing', at, names: missing }];
  if (request.disclosure) notes.push({ type: 'disclosure', at, ...request.disclosure });
  if (request.recording != null) notes.push({ type: 'recording_rule', at, mode: request.recording });
  const { answer } = judged;
  switch (answer.kind) {
    case 'accepted':
      // Not awaited, so that the job can end. If we crash before the commit, a look-up finds the call.
      deps.progress
        .record({
          callId: pass.callId,
          accepted: {
            conversationId: answer.conversationId,
            isQueued: isOnlyAccepted(provider),
            isProbe: isLateProbe,
          },
          nextChangeAt: answer.nextChangeAt ?? null,
          facts: answer.progress ?? [],
          notes,
        })
        .catch((error: unknown) =>
          deps.log.error({ ...log, err: error }, 'could not record an accepted call'),
        );
      // This worker looks up early changes, because the scheduler may be a second late.
      if (answer.nextChangeAt) {
        deps.checker.checkIn(pass.callId, answer.nextChangeAt.getTime() - pass.gatedAt.getTime());
      }
      return 'accepted';
    case 'refused':
      await deps.progress.record({
        callId: pass.callId,
        withoutAcceptance: true,
        facts: [endedByUs(pass.gatedAt, answer.outcome, answer.externalStatus)],
        notes,
      });
      return 'refused';
    case 'defer':
      return defer(deps, call, { ...answer, closes: true });
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
