import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';
import type { OutboxEvent } from './outbox-event.ts';

/**
 * Inserts the events of a transaction in the given order, with its next statement or the commit. Lock the rows that they tell of first: a
 * call has one event each for start, answer and end, which follows from its locked row.
 */
export async function writeOutbox(tx: Tx, events: readonly OutboxEvent[], now: Date): Promise<void> {
  if (events.length > 0) await deferred(outboxStatement(events, now), tx);
}

/** Exported for the warm-up. */
export function outboxStatement(events: readonly OutboxEvent[], now: Date): RawBuilder<unknown> {
  return sql`
    insert into outbox (organization_id, type, campaign_id, recipient_id, call_id, data, created_at)
    select organization_id, type, campaign_id, recipient_id, call_id, data, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(events.map(toRow))}::jsonb) as x(
      organization_id uuid, type text, campaign_id uuid, recipient_id uuid, call_id uuid, data jsonb)`;
}

function toRow(event: OutboxEvent): object {
  return {
    organization_id: event.organizationId,
    type: event.type,
    campaign_id: event.campaignId,
    recipient_id: event.recipientId,
    call_id: 'callId' in event ? event.callId : undefined,
    data: event.data,
  };
}
