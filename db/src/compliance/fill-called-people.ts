import { longestPersonCapHours } from '@outdial/core';
import { sql } from 'kysely';
import type { Db, Executor } from '../transaction.ts';

const callsAtOnce = 5_000;
/** By then, gates that began before have committed. */
const settledMinutes = 5;

interface Place {
  /** Text, because a `Date` has no microseconds. */
  at: string;
  id: string;
}

/**
 * Counts the calls of an organization for its caps per person before caps are set, each batch in its own transaction. Then only the calls of
 * the last minutes have to be counted while gates wait. Returns how many calls it read. Counts no call twice, so it may be interrupted and
 * repeated.
 */
export async function fillCalledPeople(
  db: Db,
  organizationId: string,
  { limit = callsAtOnce }: { limit?: number } = {},
): Promise<number> {
  const { rows } = await sql<{ from: string; to: Date }>`
    select (t.now - ${longestPersonCapHours + 1} * interval '1 hour')::text as from, t.now - ${settledMinutes} * interval '1 minute' as to
    from (select engine_now() as now) t`.execute(db);
  const [span] = rows;
  if (span === undefined) return 0;
  let after: Place = { at: span.from, id: '00000000-0000-0000-0000-000000000000' };
  let counted = 0;
  for (;;) {
    const batch = await fillBatch(db, { organizationId, after, to: span.to, limit });
    counted += batch.calls;
    if (batch.last === null || batch.calls < limit) break;
    after = batch.last;
  }
  await sql`
    insert into called_people_fills as f (organization_id, counted_to, at)
    select id, ${span.to}, engine_now() from organizations where id = ${organizationId}
    on conflict (organization_id) do update set counted_to = excluded.counted_to, at = excluded.at`.execute(
    db,
  );
  return counted;
}

/** Locks the calls, so that an attempt that is undone concurrently is not counted afterwards. */
async function fillBatch(
  db: Executor,
  { organizationId, after, to, limit }: { organizationId: string; after: Place; to: Date; limit: number },
): Promise<{ calls: number; last: Place | null }> {
  const { rows } = await sql<{ calls: number; at: string; id: string }>`
    with batch as materialized (
      select id, kind, purpose, phone_number, gated_at, campaign_id, created_at, outcome, ended_at from calls
      where organization_id = ${organizationId} and (created_at, id) > (${after.at}::timestamptz, ${after.id}::uuid) and created_at <= ${to}
      order by created_at, id limit ${limit} for key share),
    filled as (
      insert into called_people as p (organization_id, phone_number, dialed_at, campaign_ids, conversation_at)
      select ${organizationId}, b.phone_number, array_agg(b.gated_at order by b.gated_at, b.id), array_agg(b.campaign_id order by b.gated_at, b.id),
        max(b.ended_at) filter (where b.outcome = 'completed' and coalesce(f.purpose, b.purpose) = 'debt_collection')
      from batch b left join campaign_configs f on f.organization_id = ${organizationId} and f.campaign_id = b.campaign_id
      where b.kind = 'phone_outbound' and b.phone_number <> '' and b.gated_at is not null
      group by b.phone_number order by b.phone_number
      on conflict (organization_id, phone_number) do update
        set conversation_at = greatest(p.conversation_at, excluded.conversation_at), (dialed_at, campaign_ids) = (
          select array_agg(d.at order by d.at), array_agg(d.by order by d.at)
          from (select distinct on (at) at, by
                from unnest(p.dialed_at || excluded.dialed_at, p.campaign_ids || excluded.campaign_ids) as one(at, by)
                order by at) d))
    select count(*) over ()::int as calls, created_at::text as at, id from batch order by created_at desc, id desc limit 1`.execute(
    db,
  );
  const [last] = rows;
  return last === undefined ? { calls: 0, last: null } : { calls: last.calls, last };
}
