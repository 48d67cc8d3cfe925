import { sql, type RawBuilder } from 'kysely';
import { engineNow } from '../engine/clock.ts';
import type { Db } from '../transaction.ts';
import { eventColumns, eventJoins, placedEvent, type PlacedEvent } from '../outbox/read-events.ts';
import type { JsonObject } from '../schema/columns.ts';
import { inTransaction } from '../transaction.ts';

/** Where a delivery goes, and what signs it. */
export interface DeliveryTarget {
  url: string;
  secret: string;
  /** Signs as well while a rotation lasts. */
  previousSecret: string | null;
  failingSince: Date | null;
}

export interface ClaimedDelivery {
  deliveryId: string;
  /** The subject of the event. Deliveries of one subject are sent one after the other. */
  subjectId: string;
  /** Made so far. */
  attempts: number;
  event: PlacedEvent;
}

export interface ClaimedDeliveries {
  target: DeliveryTarget;
  /** In the order of the events. */
  deliveries: ClaimedDelivery[];
  now: Date;
}

/**
 * Takes deliveries of an endpoint that are due, under a lease. One that follows others of the same subject is taken only together
 * with all of them or after them. Null if there is no such endpoint or it is disabled.
 */
export async function claimDeliveries(
  db: Db,
  args: { endpointId: string; limit: number; leaseSeconds: number },
): Promise<ClaimedDeliveries | null> {
  return inTransaction(db, async (tx) => {
    // Claims of one endpoint follow one another: each sees the leases of the one before.
    const endpoints = await sql<{
      url: string;
      secret: string;
      previous_secret: string | null;
      failing_since: Date | null;
    }>`
      select url, secret, failing_since,
        case when previous_secret_expires_at > (select engine_now()) then previous_secret end as previous_secret
      from webhook_endpoints where id = ${args.endpointId} and enabled for no key update`.execute(tx);
    const endpoint = endpoints.rows[0];
    if (!endpoint) return null;
    // After the lock, which may have been waited for.
    const now = await engineNow(tx);
    const { rows } = await sql<{
      delivery_id: string;
      subject_id: string;
      attempts: number;
      id: string;
      type: string;
      organization_id: string;
      created_at: Date;
      sequence: string;
      data: JsonObject;
    }>`
      with due as materialized (
        select d.id, d.subject_id, d.position from webhook_deliveries d
        where d.endpoint_id = ${args.endpointId} and d.status = 'pending' and d.next_attempt_at <= ${now}
          and (d.leased_until is null or d.leased_until <= ${now})
          and coalesce((${firstIsHeldUntil(args.endpointId)}) <= ${now}, true)
        order by d.next_attempt_at, d.position limit ${args.limit}),
      taken as (
        update webhook_deliveries d set leased_until = ${now}::timestamptz + ${args.leaseSeconds} * interval '1 second'
        from due
        -- Asked again: another worker may have recorded it since.
        where d.id = due.id and d.status = 'pending' and (d.leased_until is null or d.leased_until <= ${now})
          -- All earlier ones, not only the first: after a late worker gives the first back, another may still hold the second.
          and not exists (
            select from webhook_deliveries e
            where e.endpoint_id = ${args.endpointId} and e.subject_id = due.subject_id and e.status = 'pending'
              and e.position < due.position and e.id not in (select id from due))
        returning d.id, d.event_id, d.subject_id, d.attempts)
      select taken.id as delivery_id, taken.subject_id, taken.attempts, ${eventColumns}
      from taken join outbox o on o.id = taken.event_id ${eventJoins}
      order by o.position`.execute(tx);
    return {
      target: {
        url: endpoint.url,
        secret: endpoint.secret,
        previousSecret: endpoint.previous_secret,
        failingSince: endpoint.failing_since,
      },
      deliveries: rows.map((row) => ({
        deliveryId: row.delivery_id,
        subjectId: row.subject_id,
        attempts: row.attempts,
        event: placedEvent(row),
      })),
      now,
    };
  });
}

/** When the lease of the subject's oldest pending delivery ends. One look-up in the index finds it, however long the backlog is. */
function firstIsHeldUntil(endpointId: string): RawBuilder<unknown> {
  return sql`
    select e.leased_until from webhook_deliveries e
    where e.endpoint_id = ${endpointId} and e.subject_id = d.subject_id and e.status = 'pending'
    order by e.position limit 1`;
}

/** Enabled endpoints that have something due which no worker is sending. */
export async function findEndpointsWithDueDeliveries(
  db: Db,
  { limit }: { limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select e.id from webhook_endpoints e, (select engine_now() as now) t
    where e.enabled and exists (
      select from webhook_deliveries d
      where d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at <= t.now
        and (d.leased_until is null or d.leased_until <= t.now))
    order by e.id limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}
