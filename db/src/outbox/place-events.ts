import { sql } from 'kysely';
import type { Db } from '../transaction.ts';
import { inTransaction } from '../transaction.ts';

export interface PlacedEvents {
  /** Events that got their place. */
  placed: number;
  /** Endpoints that have something to be sent. */
  endpointIds: string[];
  /** Whether more may wait. */
  isFull: boolean;
}

/**
 * Gives committed events their place in the order that readers see and their number within their subject, and writes a delivery for
 * each endpoint that wants them. One process at a time: a place is given after every lower one is committed, so a reader that goes on
 * from a place misses nothing.
 */
export async function placeEvents(db: Db, { limit }: { limit: number }): Promise<PlacedEvents> {
  return inTransaction(db, async (tx) => {
    const lock = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(2, 0) as taken`.execute(tx);
    if (lock.rows[0]?.taken !== true) return { placed: 0, endpointIds: [], isFull: false };
    // A statement of its own, so that it sees what the last holder of the lock has committed.
    const { rows } = await sql<{ placed: number; endpoint_ids: string[] }>`
      with waiting as materialized (
        select id, subject_id, ordinal from outbox where position is null order by ordinal limit ${limit}),
      numbered as materialized (
        select w.id, w.ordinal, row_number() over (partition by w.subject_id order by w.ordinal) + coalesce((
          select o.sequence from outbox o
          where o.subject_id = w.subject_id and o.position is not null order by o.sequence desc limit 1),
          (select s.last_sequence from outbox_subjects s where s.subject_id = w.subject_id), 0) as sequence
        from waiting w),
      -- In an order of its own: numbering sorts by subject.
      ordered as materialized (
        select id, sequence, nextval('outbox_position') as position from (select * from numbered order by ordinal) n),
      placed as (
        update outbox o set position = n.position, sequence = n.sequence from ordered n where o.id = n.id
        returning o.id, o.organization_id, o.type, o.subject_id, o.position),
      sent as (
        insert into webhook_deliveries (organization_id, endpoint_id, event_id, event_type, subject_id, position,
          next_attempt_at, created_at)
        select p.organization_id, e.id, p.id, p.type, p.subject_id, p.position,
          -- Behind an event of the same subject that is being tried again. (Not by max(): Postgres would read the index of what is due
          -- from its end, through everything that waits for the endpoint.)
          greatest(t.now, (
            select d.next_attempt_at from webhook_deliveries d
            where d.endpoint_id = e.id and d.subject_id = p.subject_id and d.status = 'pending'
            order by d.position desc limit 1)),
          t.now
        from placed p
        join webhook_endpoints e on e.organization_id = p.organization_id and e.enabled
          and (p.type = any(e.events) or '*' = any(e.events))
        cross join (select engine_now() as now) t
        returning endpoint_id)
      select (select count(*)::int from placed) as placed,
        coalesce((select array_agg(distinct endpoint_id) from sent), '{}') as endpoint_ids`.execute(tx);
    const placed = rows[0]?.placed ?? 0;
    return { placed, endpointIds: rows[0]?.endpoint_ids ?? [], isFull: placed === limit };
  });
}
