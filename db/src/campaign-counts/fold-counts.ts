import { sql } from 'kysely';
import type { Db } from '../transaction.ts';
import { retryVictims } from '../transaction.ts';
import { countColumns, eachCount } from './count-columns.ts';

/**
 * Adds at most `limit` changes to the counts of their campaigns and deletes them, and returns how many. In one statement, so that a reader sees
 * each change exactly once. Safe to run concurrently in several processes.
 */
export async function foldCampaignCounts(db: Db, limit: number): Promise<number> {
  const names = sql.join(countColumns.map((column) => sql.ref(column)));
  const added = sql.join(
    countColumns.map(
      (column) => sql`${sql.ref(column)} = k.${sql.ref(column)} + excluded.${sql.ref(column)}`,
    ),
  );
  const { rows } = await retryVictims(() =>
    sql<{ folded: number }>`
      with oldest as materialized (
        select id from campaign_count_changes order by id limit ${limit} for update skip locked),
      gone as (
        delete from campaign_count_changes where id = any(array(select id from oldest)) returning *),
      sums as (
        select campaign_id, ${eachCount((column) => sql`sum(${sql.ref(column)})::int`)},
          min(dialed_at) as first_dial_at, max(dialed_at) as last_dial_at
        from gone group by campaign_id order by campaign_id),
      kept as (
        insert into campaign_counts as k (campaign_id, ${names}, first_dial_at, last_dial_at)
        select campaign_id, ${names}, first_dial_at, last_dial_at from sums
        on conflict (campaign_id) do update set ${added}, changed_at = engine_now(),
          first_dial_at = least(k.first_dial_at, excluded.first_dial_at),
          last_dial_at = greatest(k.last_dial_at, excluded.last_dial_at))
      select count(*)::int as folded from gone`.execute(db),
  );
  return rows[0]?.folded ?? 0;
}
