import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { WebhookEndpointTable } from '../schema/webhooks.ts';
import { type Db, engineNow, inTransaction } from '../transaction.ts';
import { eventColumns, eventJoins, type PlacedEvent } from '../outbox/read-events.ts';

type Target = Pick<Selectable<WebhookEndpointTable>, 'url' | 'secret' | 'previous_secret' | 'failing_since'>;

export interface ClaimedDelivery extends PlacedEvent {
  delivery_id: string;
  /** The subject of the event. Deliveries of one subject are sent one after the other. */
  subject_id: string;
  attempts: number;
}

export interface ClaimedDeliveries {
  /** The previous secret signs as well while a rotation lasts. */
  target: Target;
  /** In the order of the events. */
  deliveries: ClaimedDelivery[];
  now: Date;
}

/**
 * Claims due deliveries of an endpoint under a lease. A delivery that follows others of its subject is only claimed with all of them, or
 * after them. One whose event was deleted (by an erasure, or by age) has failed. Null if the endpoint does not exist or is disabled.
 * @param args `limit`: at most twice as many are claimed
 */
export async function claimDeliveries(
  db: Db,
  args: { endpointId: string; limit: number; leaseSeconds: number },
): Promise<ClaimedDeliveries | null> {
  return inTransaction(db, async (tx) => {
    // Claims of one endpoint follow one another: each sees the leases of the one before.
    const targets = await sql<Target>`
      select url, secret, failing_since,
        case when previous_secret_expires_at > (select engine_now()) then previous_secret end as previous_secret
      from webhook_endpoints where id = ${args.endpointId} and enabled for no key update`.execute(tx);
    const [target] = targets.rows;
    if (!target) return null;
    // After the lock, which may have been waited for.
    const now = await engineNow(tx);
    const { rows } = await sql<ClaimedDelivery>`
      with due as materialized (
        select d.id, d.event_id, d.subject_id, d.position from webhook_deliveries d
        where d.endpoint_id = ${args.endpointId} and d.status = 'pending' and d.next_attempt_at <= ${now}
          and (d.leased_until is null or d.leased_until <= ${now})
          and (${oldestIsFreeAt(args.endpointId)}) <= ${now}
        order by d.next_attempt_at, d.position limit ${args.limit}),
      -- With the oldest of each subject: later ones may be due earlier, and would fill the batch again and again without it.
      chosen as materialized (
        select id, event_id, subject_id, position from due
        union
        select oldest.id, oldest.event_id, s.subject_id, oldest.position
        from (select distinct subject_id from due) s cross join lateral (
          select e.id, e.event_id, e.position from webhook_deliveries e
          where e.endpoint_id = ${args.endpointId} and e.subject_id = s.subject_id and e.status = 'pending'
          order by e.position limit 1) oldest),
      -- The first of each subject that is not taken now: none behind it is.
      stops as materialized (
        select s.subject_id, (
          select e.position from webhook_deliveries e
          where e.endpoint_id = ${args.endpointId} and e.subject_id = s.subject_id and e.status = 'pending'
            and e.id not in (select id from chosen)
          order by e.position limit 1) as position
        from (select distinct subject_id from chosen) s),
      taken as (
        update webhook_deliveries d
        set leased_until = case when o.id is not null then ${now}::timestamptz + ${args.leaseSeconds} * interval '1 second' end,
            next_attempt_at = case when o.id is not null then d.next_attempt_at end,
            status = case when o.id is not null then d.status else 'failed' end,
            error = case when o.id is not null then d.error else 'the event was deleted' end
        from chosen join stops on stops.subject_id = chosen.subject_id left join outbox o on o.id = chosen.event_id
        -- Asked again: another worker may have recorded it since.
        where d.id = chosen.id and d.status = 'pending' and (d.leased_until is null or d.leased_until <= ${now})
          and (stops.position is null or chosen.position < stops.position)
        returning d.id, d.event_id, d.subject_id, d.attempts)
      select taken.id as delivery_id, taken.subject_id, taken.attempts, ${eventColumns}
      from taken join outbox o on o.id = taken.event_id ${eventJoins}
      order by o.position`.execute(tx);
    return { target, deliveries: rows, now };
  });
}

/** When the oldest pending delivery of the subject of `d` may be taken. One look-up in the index finds it, however long the backlog is. */
function oldestIsFreeAt(endpointId: string): RawBuilder<unknown> {
  return sql`
    select greatest(e.next_attempt_at, e.leased_until) from webhook_deliveries e
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

/** Makes the leases of deliveries that a worker is sending last longer. One that ran out is not renewed: another worker may have it. */
export async function renewDeliveryLeases(
  db: Db,
  args: { endpointId: string; deliveryIds: readonly string[]; leaseSeconds: number },
): Promise<void> {
  await sql`
    update webhook_deliveries set leased_until = t.now + ${args.leaseSeconds} * interval '1 second'
    from (select engine_now() as now) t
    where id = any(${args.deliveryIds}::uuid[]) and endpoint_id = ${args.endpointId} and status = 'pending'
      and leased_until > t.now`.execute(db);
}
