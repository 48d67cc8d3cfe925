import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** How long events can be read. */
export const outboxRetentionDays = 30;

/**
 * Deletes at most `limit` expired rows, and returns how many. Ids are ordered by time, so the primary key finds the oldest. Keeps the number of the
 * last event of a campaign or recipient, from which the next one continues.
 */
export async function deleteOldOutboxEvents(
  db: Executor,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with gone as (
      delete from outbox where id = any(array(
        select id from (select id, created_at from outbox order by id limit ${limit} for update skip locked) oldest
        where created_at < ${now}::timestamptz - ${outboxRetentionDays} * interval '1 day'))
      returning subject_id, campaign_id, sequence),
    numbered as (
      insert into outbox_subjects (subject_id, campaign_id, last_sequence)
      select g.subject_id, g.campaign_id, max(g.sequence) from gone g join campaigns c on c.id = g.campaign_id
      where g.sequence is not null group by g.subject_id, g.campaign_id
      on conflict (subject_id) do update set last_sequence = greatest(outbox_subjects.last_sequence, excluded.last_sequence))
    select count(*)::int as deleted from gone`.execute(db);
  return rows[0]?.deleted ?? 0;
}
