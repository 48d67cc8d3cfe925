import { type Selectable, sql } from 'kysely';
import { isOlder, type NewestIdFirst } from '../lists/newest-first.ts';
import type { DeliveryStatus, WebhookDeliveryTable } from '../schema/webhooks.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { EndpointAddress } from './endpoints.ts';

export type DeliveryRow = Omit<
  Selectable<WebhookDeliveryTable>,
  'organization_id' | 'subject_id' | 'position' | 'leased_until'
>;

const columns = sql`
  id, endpoint_id, event_id, event_type, status, attempts, next_attempt_at, last_attempt_at, response_status, error,
  duration_ms, created_at, delivered_at`;

/** Newest first, those before `before`. */
export async function listDeliveries(
  db: Executor,
  args: EndpointAddress & { status: DeliveryStatus | null; page: NewestIdFirst },
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from webhook_deliveries
    where organization_id = ${args.organizationId} and endpoint_id = ${args.endpointId}
      and (${args.status}::text is null or status = ${args.status})
      and ${isOlder('id', args.page.after)}
    order by id desc limit ${args.page.limit}`.execute(db);
  return rows;
}

/** Sends the event of a delivery again, as a new delivery. Null if the organization has no such delivery or event. */
export async function redeliver(
  tx: Tx,
  args: { organizationId: string; deliveryId: string },
): Promise<DeliveryRow | null> {
  const { rows } = await sql<DeliveryRow>`
    insert into webhook_deliveries (organization_id, endpoint_id, event_id, event_type, subject_id, position,
      next_attempt_at, created_at)
    select d.organization_id, d.endpoint_id, d.event_id, d.event_type, d.subject_id, d.position, t.now, t.now
    from webhook_deliveries d join outbox o on o.id = d.event_id
    -- An endpoint that is being deleted takes its deliveries with it; this one would refer to nothing.
    join (select id from webhook_endpoints where organization_id = ${args.organizationId} for key share) e on e.id = d.endpoint_id,
      (select engine_now() as now) t
    where d.organization_id = ${args.organizationId} and d.id = ${args.deliveryId}
    returning ${columns}`.execute(tx);
  return rows[0] ?? null;
}

/**
 * Sends an endpoint every subscribed event since an instant that it has not received: failed ones, and those from times at which it was
 * disabled or did not exist. At most `limit`, the oldest first. Events without a position follow when they get one. Returns how many, or
 * null if the endpoint does not exist.
 */
export async function redeliverSince(
  tx: Tx,
  args: EndpointAddress & { since: Date; limit: number },
): Promise<number | null> {
  // First and apart: it holds the endpoint, which must not be deleted before its deliveries are written.
  const endpoint = await sql`
    update webhook_endpoints set sends_since = least(coalesce(sends_since, created_at), ${args.since}::timestamptz)
    where organization_id = ${args.organizationId} and id = ${args.endpointId}`.execute(tx);
  if (endpoint.numAffectedRows === 0n) return null;
  const { numAffectedRows } = await sql`
    insert into webhook_deliveries (organization_id, endpoint_id, event_id, event_type, subject_id, position,
      next_attempt_at, created_at)
    select o.organization_id, e.id, o.id, o.type, o.subject_id, o.position, t.now, t.now
    from webhook_endpoints e
    join outbox o on o.organization_id = e.organization_id and o.position is not null and o.created_at >= ${args.since}
      and (o.type = any(e.events) or '*' = any(e.events)),
      (select engine_now() as now) t
    where e.organization_id = ${args.organizationId} and e.id = ${args.endpointId}
      and not exists (select from webhook_deliveries d
                      where d.event_id = o.id and d.endpoint_id = e.id and d.status in ('pending', 'delivered'))
    order by o.position limit ${args.limit}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes at most `limit` deliveries of deleted events. Returns how many. */
export async function deleteOldDeliveries(
  db: Executor,
  { now, days, limit }: { now: Date; days: number; limit: number },
): Promise<number> {
  const result = await sql`
    delete from webhook_deliveries where id = any(array(
      select id from (select id, created_at from webhook_deliveries order by id limit ${limit} for update skip locked) oldest
      where created_at < ${now}::timestamptz - ${days} * interval '1 day'))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

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
