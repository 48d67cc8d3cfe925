import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import type { DeliveryRow } from './deliveries.ts';
import type { EndpointAddress } from './endpoints.ts';

/** Of a test; no endpoint subscribes to it, and lists of events leave it out. */
export const testEventType = 'webhook.test';

/** Writes an event for a single endpoint, and its delivery. Null if the endpoint does not exist. */
export async function createTestDelivery(
  tx: Tx,
  { organizationId, endpointId }: EndpointAddress,
): Promise<DeliveryRow | null> {
  const { rows } = await sql<DeliveryRow>`
    with event as (
      insert into outbox (organization_id, type, data, created_at, position, sequence)
      select organization_id, ${testEventType}, jsonb_build_object('endpoint_id', id), engine_now(),
        nextval('outbox_position'), 1
      from webhook_endpoints where organization_id = ${organizationId} and id = ${endpointId}
      -- One that is being deleted has no deliveries any more.
      for key share
      returning *)
    insert into webhook_deliveries (organization_id, endpoint_id, event_id, event_type, subject_id, position,
      next_attempt_at, created_at)
    select organization_id, ${endpointId}, id, type, subject_id, position, created_at, created_at from event
    returning *`.execute(tx);
  return rows[0] ?? null;
}
