import { sql } from 'kysely';
import { locks } from '../locks.ts';
import { prepared } from '../postgres/prepared.ts';
import { type Db, type Executor, inTransaction } from '../transaction.ts';

export interface PlacedEvents {
  placed: number;
  endpointIds: string[];
  /** Whether organizations that read events may have more. */
  isFull: boolean;
}

/** Organizations per round, those with the oldest events first, so that one with many events does not delay the others. */
const organizationsAtOnce = 50;

/**
 * Assigns committed events their position in the reading order and their number within their subject, and inserts a delivery for each subscribed
 * endpoint. One process runs this at a time, and commits lower positions first, so a reader that continues from a position misses no event.
 *
 * Handles `limit` events of organizations with readers (a webhook endpoint, or a recent request for events), and `spare` events of others. A
 * position costs Postgres 25 µs, which is 0.1 ms per call and a quarter of all its work for a call. So events without a reader wait for a quieter
 * time. Events that only endpoints read also wait while each endpoint has `limit` deliveries due, because they would not be sent sooner.
 */
export async function placeEvents(
  db: Db,
  { limit, spare = limit }: { limit: number; spare?: number },
): Promise<PlacedEvents> {
  return inTransaction(db, async (tx) => {
    // It waits: one that gave up at once would find the lock taken again and again while webhooks are tested. Without the settings, Postgres would
    // sort all waiting events in each round.
    await sql`
      select ${locks.eventPlacing.take()},
        set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`.execute(tx);
    // After the lock, so that this sees what its last holder committed.
    const { rows } = await sql<{ placed: number; is_full: boolean; endpoint_ids: string[] }>`
      with recursive now as materialized (select engine_now() as now),
      organization (id) as (
        (select organization_id from outbox where position is null order by organization_id limit 1)
        union all
        select (select o.organization_id from outbox o where o.position is null and o.organization_id > organization.id
                order by o.organization_id limit 1)
        from organization where organization.id is not null),
      queue as (
        select organization.id, oldest.ordinal,
          exists (select from webhook_endpoints e where e.organization_id = organization.id)
            or reader.is_there as is_read
        from now cross join organization cross join lateral (
          select o.ordinal from outbox o where o.organization_id = organization.id and o.position is null
          order by o.ordinal limit 1) oldest
        cross join lateral (
          select exists (
            select from event_readers r where r.organization_id = organization.id and r.reads_until > now.now) as is_there) reader
        cross join lateral (
          select coalesce(bool_and(exists (
            select from webhook_deliveries d
            where d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at <= now.now
            offset ${limit - 1} limit 1)), false) as is_full
          from webhook_endpoints e where e.organization_id = organization.id and e.enabled) sends
        where reader.is_there or not sends.is_full),
      ranked as (
        select id, is_read, row_number() over (partition by is_read order by ordinal) as rank,
          ceil(case when is_read then ${limit}::int else ${spare}::int end
            / least(${organizationsAtOnce}::float, count(*) over (partition by is_read)))::int as share
        from queue),
      waiting as materialized (
        select w.id, w.subject_id, w.ordinal, ranked.is_read and w.rank = ranked.share as is_last_of_share
        from ranked cross join lateral (
          select o.id, o.subject_id, o.ordinal, row_number() over (order by o.ordinal) as rank
          from outbox o where o.organization_id = ranked.id and o.position is null
          order by o.ordinal limit ranked.share) w
        where ranked.rank <= ${organizationsAtOnce}),
      numbered as materialized (
        select w.id, w.ordinal, row_number() over (partition by w.subject_id order by w.ordinal) + coalesce((
          select o.sequence from outbox o
          where o.subject_id = w.subject_id and o.position is not null order by o.sequence desc limit 1),
          (select s.last_sequence from outbox_subjects s where s.subject_id = w.subject_id), 0) as sequence
        from waiting w),
      -- Sorted separately, because numbering sorts by subject.
      ordered as materialized (
        select id, sequence, nextval('outbox_position') as position from (select * from numbered order by ordinal) n),
      -- Takes the lock of the deliveries' foreign key first. So an endpoint that is being deleted is skipped, and does not fail the round.
      wanted as materialized (
        select id, organization_id, events, sends_since, created_at, enabled, updated_at from webhook_endpoints
        where organization_id in (
          select id from ranked where is_read and rank <= ${organizationsAtOnce}) for key share),
      placed as (
        update outbox o set position = n.position, sequence = n.sequence from ordered n where o.id = n.id
        returning o.id, o.organization_id, o.type, o.subject_id, o.position, o.created_at),
      sent as (
        insert into webhook_deliveries (organization_id, endpoint_id, event_id, event_type, subject_id, position,
          next_attempt_at, created_at)
        select p.organization_id, e.id, p.id, p.type, p.subject_id, p.position,
          -- After an event of the same subject that waits for a retry. Not with max(), for which Postgres would scan all deliveries of the endpoint.
          greatest(t.now, (
            select d.next_attempt_at from webhook_deliveries d
            where d.endpoint_id = e.id and d.subject_id = p.subject_id and d.status = 'pending'
            order by d.position desc limit 1)),
          t.now
        from placed p
        join wanted e on e.organization_id = p.organization_id and (p.type = any(e.events) or '*' = any(e.events))
          and p.created_at >= coalesce(e.sends_since, e.created_at)
          -- An endpoint that was disabled since then still gets earlier events, which are sent once it is enabled again.
          and (e.enabled or p.created_at <= e.updated_at)
        cross join now t
        returning endpoint_id)
      select (select count(*)::int from placed) as placed,
        coalesce((select bool_or(is_last_of_share) from waiting), false) as is_full,
        coalesce((select array_agg(distinct endpoint_id) from sent), '{}') as endpoint_ids`.execute(
      prepared(tx),
    );
    const { placed = 0, endpoint_ids: endpointIds = [], is_full: isFull = false } = rows[0] ?? {};
    return { placed, endpointIds, isFull };
  });
}

/** An organization that has not read events for this long no longer counts as a reader. */
const readerDays = 30;
/** A reader's record is renewed at most once a day. */
const renewAfterDays = 1;

/**
 * Records that an organization reads events, so that new ones get their position at once. True if it was not a reader before, so that older events
 * may lack their position.
 */
export async function noteEventReader(
  db: Executor,
  { organizationId }: { organizationId: string },
): Promise<boolean> {
  const known = await sql<{ reads: boolean; renew: boolean }>`
    select reads_until > (select engine_now()) as reads,
      reads_until < (select engine_now()) + ${readerDays - renewAfterDays} * interval '1 day' as renew
    from event_readers where organization_id = ${organizationId}`.execute(db);
  const { reads = false, renew = true } = known.rows[0] ?? {};
  if (renew) {
    await sql`
      insert into event_readers (organization_id, reads_until)
      values (${organizationId}, engine_now() + ${readerDays} * interval '1 day')
      on conflict (organization_id) do update set reads_until = excluded.reads_until`.execute(db);
  }
  return !reads;
}
