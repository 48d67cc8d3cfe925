import { sql } from 'kysely';
import { lastCallerIdOf } from '../caller-ids/uses.ts';
import { lockedPeople } from '../compliance/person-caps.ts';
import { anyLength } from '../postgres/any-length.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';

/** A due recipient whose row, and that of its person in the ledger, are locked until the commit. */
export interface ChosenRecipient {
  recipientId: string;
  /** The id of its call, if it is dialed. */
  callId: string;
  phoneNumber: string;
  /** Its calling key. */
  zone: string;
  /** The caller id of the last call to the number; null if there was none, or it was not asked for. */
  lastCallerId: string | null;
}

/** How many due recipients of a campaign are wanted, from the zones whose window is open. */
export interface WantedDue {
  campaignId: string;
  zones: readonly string[];
  limit: number;
}

/**
 * Locks due recipients of campaigns of an organization, of each those that are the longest due, and then their people in the order of their numbers.
 * Leaves out those that another transaction holds.
 */
export async function chooseDue(
  tx: Tx,
  args: {
    organizationId: string;
    campaigns: readonly WantedDue[];
    now: Date;
    withLastCallerId: boolean;
  },
): Promise<Map<string, ChosenRecipient[]>> {
  const { organizationId, campaigns, now } = args;
  const asked = campaigns.flatMap(({ campaignId, zones, limit }) =>
    zones.map((zone) => ({ campaignId, zone, limit })),
  );
  const wanted = sql`
        unnest(${anyLength(
          asked.map(({ campaignId }) => campaignId),
          'uuid',
        )}, ${anyLength(
          asked.map(({ zone }) => zone),
          'text',
        )}, ${anyLength(
          asked.map(({ limit }) => limit),
          'int',
        )}) as z(campaign_id, zone, due)`;
  const dueIn = sql`
        from campaign_recipients
        where campaign_id = z.campaign_id and calling_key = z.zone and state = 'pending' and next_attempt_at <= ${now}
        order by next_attempt_at, position`;
  // Reads without locks how many of the longest due are in each zone. Otherwise, as many as may be dialed would be locked in each of them.
  const shares = campaigns.every(({ zones }) => zones.length === 1)
    ? wanted
    : sql`(
        select campaign_id, zone, count(*) as due from (
          select z.campaign_id, z.zone, z.due, row_number() over (partition by z.campaign_id order by d.next_attempt_at, d.position) as n
          from ${wanted} cross join lateral (select next_attempt_at, position ${dueIn} limit z.due) d) longest
        where n <= due group by campaign_id, zone) z`;
  const { rows } = await sql<{
    campaign_id: string;
    id: string;
    call_id: string;
    phone_number: string;
    zone: string;
    last_caller_id: string | null;
    person_ref: string | null;
  }>`
    with due as materialized (
      select r.id, r.campaign_id, r.organization_id, r.phone_number, z.zone, row_number() over (order by r.next_attempt_at, r.position) as n
      from ${shares}
      cross join lateral (
        select id, campaign_id, organization_id, phone_number, next_attempt_at, position ${dueIn}
        limit z.due for no key update skip locked
      ) r),
    people as (${lockedPeople(sql`due`, sql`${organizationId}::uuid`)})
    select campaign_id, id, new_id() as call_id, phone_number, zone, case when asked.is_on then ${lastCallerIdOf(sql`due`)} end as last_caller_id,
      (select person_ref from person_numbers p where p.organization_id = due.organization_id and p.phone_number = due.phone_number) as person_ref
    from due cross join (select ${args.withLastCallerId}::boolean as is_on) asked order by n`.execute(
    prepared(tx),
  );
  const chosen = new Map<string, ChosenRecipient[]>();
  const people = new Set<string>();
  for (const row of rows) {
    // A gate judges all its dials by the calls before it, so another number of a person waits for the next one.
    if (row.person_ref !== null && people.has(row.person_ref)) continue;
    if (row.person_ref !== null) people.add(row.person_ref);
    const ofCampaign = chosen.get(row.campaign_id) ?? [];
    chosen.set(row.campaign_id, ofCampaign);
    ofCampaign.push({
      recipientId: row.id,
      callId: row.call_id,
      phoneNumber: row.phone_number,
      zone: row.zone,
      lastCallerId: row.last_caller_id,
    });
  }
  return chosen;
}
