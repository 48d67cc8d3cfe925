import { type Selectable, sql } from 'kysely';
import { isOlder, type NewestIdFirst } from '../lists/newest-first.ts';
import { locks } from '../locks.ts';
import { testEventType } from '../outbox/read-events.ts';
import type { DeliveryStatus, WebhookDeliveryTable } from '../schema/webhooks.ts';
import { type Executor, type Tx, type Db, inTransaction } from '../transaction.ts';
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

/**
 * Sends the event of a delivery again: at once where it waits for a retry, otherwise as a new delivery. Events of its subject that wait in front of it
 * are sent at once too. Null if the organization has no such delivery or event.
 */
export async function redeliver(
  tx: Tx,
  args: { organizationId: string; deliveryId: string },
): Promise<DeliveryRow | null> {
  // First and apart: two requests at once must not both add a delivery, and an endpoint that is being deleted takes its deliveries with it.
  await sql`
    select from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
    where d.organization_id = ${args.organizationId} and d.id = ${args.deliveryId}
    for no key update of e`.execute(tx);
  const { rows } = await sql<DeliveryRow>`
    with wanted as materialized (
      select d.*, t.now from webhook_deliveries d join outbox o on o.id = d.event_id, (select engine_now() as now) t
      where d.organization_id = ${args.organizationId} and d.id = ${args.deliveryId}),
    waiting as (
      update webhook_deliveries d set next_attempt_at = least(d.next_attempt_at, w.now) from wanted w
      where d.endpoint_id = w.endpoint_id and d.subject_id = w.subject_id and d.status = 'pending'
        and d.position <= w.position
      returning d.*),
    added as (
      insert into webhook_deliveries (organization_id, endpoint_id, event_id, event_type, subject_id, position,
        next_attempt_at, created_at)
      select organization_id, endpoint_id, event_id, event_type, subject_id, position, now, now from wanted
      where not exists (select from waiting where waiting.event_id = wanted.event_id)
      returning *)
    select ${columns} from waiting where event_id = (select event_id from wanted)
    union all
    select ${columns} from added`.execute(tx);
  return rows[0] ?? null;
}

/**
 * Sends an endpoint every subscribed event since an instant that it has not received: failed ones, and those from times at which it was
 * disabled or did not exist. Those that wait for a retry are sent at once, whatever their age. At most `limit`, the oldest first. Events without
 * a position follow when they get one. Returns how many, or null if the endpoint does not exist.
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
  // Before the others, which would be due and wait behind them.
  const waiting = await sql`
    update webhook_deliveries d set next_attempt_at = w.now
    from (select id, t.now from webhook_deliveries, (select engine_now() as now) t
          where endpoint_id = ${args.endpointId} and status = 'pending' and next_attempt_at > t.now
          order by position limit ${args.limit}) w
    where d.id = w.id and d.status = 'pending'`.execute(tx);
  const atOnce = Number(waiting.numAffectedRows ?? 0n);
  const added = await sql`
    insert into webhook_deliveries (organization_id, endpoint_id, event_id, event_type, subject_id, position,
      next_attempt_at, created_at)
    select o.organization_id, e.id, o.id, o.type, o.subject_id, o.position, t.now, t.now
    from webhook_endpoints e
    join outbox o on o.organization_id = e.organization_id and o.position is not null and o.created_at >= ${args.since}
      and (o.type = any(e.events) or '*' = any(e.events)) and o.type <> ${testEventType},
      (select engine_now() as now) t
    where e.organization_id = ${args.organizationId} and e.id = ${args.endpointId}
      and not exists (select from webhook_deliveries d
                      where d.event_id = o.id and d.endpoint_id = e.id and d.status in ('pending', 'delivered'))
    order by o.position limit ${args.limit - atOnce}`.execute(tx);
  return atOnce + Number(added.numAffectedRows ?? 0n);
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

/** Writes an event for a single endpoint, and its delivery. Null if the endpoint does not exist. */
export async function createTestDelivery(
  tx: Tx,
  { organizationId, endpointId }: EndpointAddress,
): Promise<DeliveryRow | null> {
  // First and apart: whoever reads this position would miss the events with lower ones that another transaction commits later.
  await sql`select ${locks.eventPlacing.take()}`.execute(tx);
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

export interface DeliveryAttempt {
  /** Of the delivery. */
  id: string;
  result: 'delivered' | 'retry' | 'failed';
  /** Of `retry`. */
  next_attempt_at: Date | null;
  response_status: number | null;
  error: string | null;
  duration_ms: number;
}

/** What the answers of an address say of it. */
export interface UrlHealth {
  url: string;
  health: 'healthy' | 'failing' | 'gone';
}

/**
 * Records attempts for one endpoint, and releases claimed deliveries that were not attempted. Events after one that will be retried wait
 * with it. A delivery that another worker has finished does not change. A lease of another worker is cleared, so an event may be sent
 * twice. The answers of an address that the endpoint no longer has say nothing of the endpoint. Returns why it disabled the endpoint, or null.
 */
export async function recordAttempts(
  db: Db,
  args: {
    endpointId: string;
    attempts: readonly DeliveryAttempt[];
    /** Claimed, and not sent. */
    untried: readonly string[];
    urls: readonly UrlHealth[];
    /** An endpoint that has been failing since then, or for longer, is disabled. */
    failingTooLongSince: Date;
    now: Date;
  },
): Promise<'gone' | 'failing' | null> {
  const { endpointId, attempts, untried, urls, failingTooLongSince, now } = args;
  return inTransaction(db, async (tx) => {
    let disabled: 'gone' | 'failing' | null = null;
    // The endpoint first, as claims do.
    for (const { url, health } of urls) {
      if (health === 'healthy') {
        await sql`
          update webhook_endpoints set failing_since = null
          where id = ${endpointId} and url = ${url} and failing_since is not null`.execute(tx);
        continue;
      }
      const { numAffectedRows } = await sql`
        update webhook_endpoints set enabled = false, disabled_reason = ${health}, updated_at = ${now}
        where id = ${endpointId} and url = ${url} and enabled
          and (${health} = 'gone' or failing_since <= ${failingTooLongSince})`.execute(tx);
      if (numAffectedRows === 1n) disabled = health;
      if (health === 'failing') {
        await sql`
          update webhook_endpoints set failing_since = ${now}
          where id = ${endpointId} and url = ${url} and failing_since is null`.execute(tx);
      }
    }
    const retried = attempts.filter((attempt) => attempt.result === 'retry');
    await sql`
      update webhook_deliveries d
      set status = case x.result when 'retry' then 'pending' else x.result end, attempts = d.attempts + 1,
          next_attempt_at = x.next_attempt_at, leased_until = null, last_attempt_at = ${now},
          response_status = x.response_status, error = x.error, duration_ms = x.duration_ms,
          delivered_at = case when x.result = 'delivered' then ${now}::timestamptz end
      from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as x(
        id uuid, result text, next_attempt_at timestamptz, response_status int, error text, duration_ms int)
      where d.id = x.id and d.endpoint_id = ${endpointId} and d.status = 'pending'`.execute(tx);
    if (untried.length > 0) {
      await sql`
        update webhook_deliveries set leased_until = null
        where id = any(${untried}::uuid[]) and endpoint_id = ${endpointId} and status = 'pending'`.execute(
        tx,
      );
    }
    if (retried.length > 0) {
      await sql`
        update webhook_deliveries d set next_attempt_at = h.next_attempt_at
        from webhook_deliveries h
        where h.id = any(${retried.map((attempt) => attempt.id)}::uuid[]) and h.status = 'pending'
          and d.endpoint_id = ${endpointId} and d.subject_id = h.subject_id and d.status = 'pending'
          and d.position > h.position and d.next_attempt_at < h.next_attempt_at`.execute(tx);
    }
    return disabled;
  });
}
