import { sql } from 'kysely';
import { inTransaction } from '../transaction.ts';
import type { Db } from '../transaction.ts';
import { countColumns, countedRecipients, eachCount } from './count-columns.ts';

export interface ProvenCounts {
  /** Null if no campaign is due. */
  campaignId: string | null;
  /** Whether the counts disagreed with the recipients and were corrected. */
  repaired: boolean;
}

/**
 * Compares the counts of one campaign with its recipients in one snapshot. A campaign is due if it has changed since the last comparison, at
 * least `afterSeconds` ago. Appends a correction as a change, so that dialing never waits for this.
 */
export async function proveCampaignCounts(
  db: Db,
  { afterSeconds }: { afterSeconds: number },
): Promise<ProvenCounts> {
  return inTransaction(db, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    const taken = await sql<{ campaign_id: string }>`
      update campaign_counts set proven_at = engine_now() where campaign_id = (
        select campaign_id from campaign_counts
        where changed_at > coalesce(proven_at, '-infinity')
          and coalesce(proven_at, '-infinity') < (select engine_now()) - ${afterSeconds} * interval '1 second'
        order by proven_at nulls first limit 1 for update skip locked)
      returning campaign_id`.execute(tx);
    const campaignId = taken.rows[0]?.campaign_id;
    if (campaignId === undefined) return { campaignId: null, repaired: false };
    const names = sql.join(countColumns.map((column) => sql.ref(column)));
    const zeros = sql.join(countColumns.map(() => sql`0`));
    const difference = eachCount((column) => {
      const name = sql.ref(column);
      return sql`are.${name} - k.${name} - coalesce(open.${name}, 0)`;
    });
    const { rows } = await sql`
      insert into campaign_count_changes (campaign_id, ${names})
      select campaign_id, ${names} from (
        select k.campaign_id, ${difference}
        from campaign_counts k
        cross join lateral (
          select ${countedRecipients} from campaign_recipients r
          where r.campaign_id = k.campaign_id
            and r.organization_id = (select organization_id from campaigns where id = k.campaign_id)) are
        cross join lateral (
          select ${eachCount((column) => sql`sum(${sql.ref(column)})::int`)}
          from campaign_count_changes d where d.campaign_id = k.campaign_id) open
        where k.campaign_id = ${campaignId}) x
      where (${names}) <> (${zeros})
      returning id`.execute(tx);
    return { campaignId, repaired: rows.length > 0 };
  });
}
