import { sql } from 'kysely';
import { lastCallerIdOf } from '../caller-ids/uses.ts';
import { lockedPeople } from '../compliance/called-people.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';

/** A due recipient whose row, and that of its person in the ledger, are locked until the commit. */
export interface ChosenRecipient {
  recipientId: string;
  /** The id of its call, if it is dialed. */
  callId: string;
  phoneNumber: string;
  /** The caller id of the last call to the number; null if there was none, or it was not asked for. */
  lastCallerId: string | null;
}

/**
 * Locks due recipients of a campaign, the longest due first, and then their people in the order of their numbers. Leaves out those that another
 * transaction holds.
 * @param args.zones zones whose window is open at `now`
 */
export async function chooseDue(
  tx: Tx,
  args: {
    organizationId: string;
    campaignId: string;
    zones: readonly string[];
    now: Date;
    limit: number;
    withLastCallerId: boolean;
  },
): Promise<ChosenRecipient[]> {
  const { organizationId, campaignId, zones, now, limit } = args;
  const dueIn = sql`
        from campaign_recipients
        where campaign_id = ${campaignId} and calling_key = z.zone and state = 'pending' and next_attempt_at <= ${now}
        order by next_attempt_at, position`;
  // Reads without locks how many of the longest due are in each zone. Otherwise, as many as may be dialed would be locked in each of them.
  const shares =
    zones.length === 1
      ? sql`(select zone, ${limit}::int as due from unnest(${zones}::text[]) as z(zone))`
      : sql`(
        select zone, count(*) as due from (
          select z.zone from unnest(${zones}::text[]) as z(zone)
          cross join lateral (select next_attempt_at, position ${dueIn} limit ${limit}) d
          order by d.next_attempt_at, d.position limit ${limit}) longest
        group by zone)`;
  const { rows } = await sql<{
    id: string;
    call_id: string;
    phone_number: string;
    last_caller_id: string | null;
  }>`
    with due as materialized (
      select r.id, r.organization_id, r.phone_number, row_number() over (order by r.next_attempt_at, r.position) as n
      from ${shares} z
      cross join lateral (
        select id, organization_id, phone_number, next_attempt_at, position ${dueIn}
        limit z.due for no key update skip locked
      ) r),
    people as (${lockedPeople(sql`due`, sql`${organizationId}::uuid`)})
    select id, new_id() as call_id, phone_number, case when asked.is_on then ${lastCallerIdOf(sql`due`)} end as last_caller_id
    from due cross join (select ${args.withLastCallerId}::boolean as is_on) asked order by n`.execute(
    prepared(tx),
  );
  return rows.map((row) => ({
    recipientId: row.id,
    callId: row.call_id,
    phoneNumber: row.phone_number,
    lastCallerId: row.last_caller_id,
  }));
}
