import type { PlacedEvent } from '@outdial/db';

/** The body of a webhook, and one item of `GET /api/v1/events`. */
export interface EventMessage {
  id: string;
  type: string;
  created_at: string;
  organization_id: string;
  /** Grows by one with each event of the same recipient, campaign or other subject. */
  sequence: number;
  data: Record<string, unknown>;
}

export function eventMessage(event: PlacedEvent): EventMessage {
  return {
    id: event.id,
    type: event.type,
    created_at: event.created_at.toISOString(),
    organization_id: event.organization_id,
    sequence: event.sequence,
    data: withLink(event.data),
  };
}

/** A transcript may exceed the size limit of a message, so the message links to the call's record. */
function withLink(data: PlacedEvent['data']): Record<string, unknown> {
  const { call_id: callId } = data;
  return typeof callId === 'string' ? { ...data, call_url: `/api/v1/calls/${callId}` } : data;
}
