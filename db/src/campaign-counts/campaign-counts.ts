import { type Outcome, outcomes, type PublicRecipientState, recipientStates } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction, retryVictims } from '../transaction.ts';

/** The columns of `campaign_counts` and `campaign_count_changes` that are counts. */
export const countColumns = [
  ...recipientStates,
  ...outcomes.map((outcome) => `last_${outcome}` as const),
  'dials',
] as const;

export type CountColumn = (typeof countColumns)[number];

/**
 * The state of a row of `campaign_recipients`, with the same rules as the triggers. A recipient that was withdrawn after its last call keeps the state from that call.
 */
export const stateConditions: Record<PublicRecipientState, string> = {
  waiting: `state = 'pending' and last_outcome is null`,
  retrying: `state = 'pending' and last_outcome is not null`,
  in_call: `state = 'dialing'`,
  reached: `state = 'done' and last_outcome = 'completed'`,
  unreached: `state = 'done' and last_outcome is distinct from 'completed'`,
  suppressed: `state = 'suppressed'`,
  withdrawn: `state = 'withdrawn'`,
};

/** `expression` for each count, under the name of its column. */
export function eachCount(expression: (column: CountColumn) => RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(countColumns.map((column) => sql`${expression(column)} as ${sql.ref(column)}`));
}

export const countedRecipients: RawBuilder<unknown> = eachCount((column) => {
  if (column === 'dials') return sql`coalesce(sum(attempts), 0)::int`;
  return sql`count(*) filter (where ${sql.raw(conditionOf(column))})::int`;
});

function conditionOf(column: Exclude<CountColumn, 'dials'>): string {
  const state = recipientStates.find((name) => name === column);
  if (state !== undefined) return stateConditions[state];
  return `last_outcome = '${column.slice('last_'.length)}'`;
}

export type CountRow = Record<CountColumn, number>;

export function outcomeCounts(row: CountRow): Partial<Record<Outcome, number>> {
  return Object.fromEntries(
    outcomes.flatMap((outcome) => {
      const count = row[`last_${outcome}`];
      return count === 0 ? [] : [[outcome, count]];
    }),
  );
}

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

export interface ProvenCounts {
  /** Null if no campaign is due. */
  campaignId: string | null;
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
