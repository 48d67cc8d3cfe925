import { publicCallStatus } from '@outdial/core';
import type { CallEventData, LockedCall, OutboxEvent } from '@outdial/db';
import type { FoldedCall } from './fold-facts.ts';

/** The outbox events of a call in their order. */
export function callEvents(folded: FoldedCall): OutboxEvent[] {
  const { call } = folded;
  const of = {
    organizationId: call.organization_id,
    campaignId: call.campaign_id,
    recipientId: call.recipient_id,
    callId: call.id,
  };
  const started = { attempt: call.attempt, status: 'init' as const, started_at: iso(call.gated_at) };
  const events: OutboxEvent[] = [];
  if (folded.started) events.push({ type: 'call.started', ...of, data: started });
  if (folded.answered) {
    const data = { ...started, status: 'start' as const, answered_at: iso(call.answered_at) };
    events.push({ type: 'call.answered', ...of, data });
  }
  if (folded.ended?.corrected === false) events.push({ type: 'call.ended', ...of, data: endData(call) });
  if (folded.changedAfterEnd.length > 0) {
    const data = { ...endData(call), changed: folded.changedAfterEnd };
    events.push({ type: 'call.updated', ...of, data });
  }
  return events;
}

function endData(call: LockedCall): CallEventData {
  return {
    attempt: call.attempt,
    status: publicCallStatus(call.phase, call.outcome),
    outcome: call.outcome ?? undefined,
    started_at: iso(call.gated_at),
    answered_at: iso(call.answered_at),
    ended_at: iso(call.ended_at),
    duration: call.duration_seconds ?? undefined,
    external_status: call.external_status ?? undefined,
  };
}

function iso(at: Date | null): string | undefined {
  return at?.toISOString();
}
