import { sql } from 'kysely';
import { callsOfQuota, isOfToday } from './quota.ts';
import type { Executor } from '../transaction.ts';

/** The operator's limits for an organization; null for no limit. `max_recipients` is over all campaigns that are not deleted. */
export type OrganizationLimits = Awaited<ReturnType<typeof findOrganizationLimits>>;

export async function findOrganizationLimits(db: Executor, organizationId: string) {
  const row = await db
    .selectFrom('organizations')
    .select([
      'max_campaigns',
      'max_recipients',
      'max_calls_per_day',
      'max_spend_per_day',
      'allowed_countries',
      'allowed_special_numbers',
    ])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return { ...row, max_spend_per_day: row.max_spend_per_day === null ? null : Number(row.max_spend_per_day) };
}

/** Null for the installation's default. */
export async function requestsPerMinute(db: Executor, organizationId: string): Promise<number | null> {
  const row = await db
    .selectFrom('organizations')
    .select('requests_per_minute')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return row?.requests_per_minute ?? null;
}

export async function countCampaignsAndRecipients(
  db: Executor,
  organizationId: string,
): Promise<{ campaigns: number; recipients: number }> {
  const states = sql`waiting + retrying + in_call + reached + unreached + suppressed + withdrawn`;
  const { rows } = await sql<{ campaigns: number; recipients: number }>`
    with own as materialized (select id from campaigns where organization_id = ${organizationId})
    select (select count(*)::integer from own) as campaigns,
      (select coalesce(sum(${states}), 0) from campaign_counts k join own on own.id = k.campaign_id)::float8
      + (select coalesce(sum(${states}), 0) from campaign_count_changes d join own on own.id = d.campaign_id)::float8
      as recipients`.execute(db);
  return rows[0] ?? { campaigns: 0, recipients: 0 };
}

/** The calls of the day, which begins at midnight UTC, as its quota counts them, and their cost. */
export async function countCallsToday(
  db: Executor,
  organizationId: string,
): Promise<{ calls: number; spend: number }> {
  const { rows } = await sql<{ calls: number; spend: number }>`
    select ${callsOfQuota}::integer as calls, coalesce(sum(cost), 0)::float8 as spend from calls
    where organization_id = ${organizationId} and ${isOfToday}`.execute(db);
  return rows[0] ?? { calls: 0, spend: 0 };
}
