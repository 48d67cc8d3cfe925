import type { CallingPolicy } from '@outdial/core';
import { type Selectable, sql } from 'kysely';
import type { OrganizationTable } from '../schema/organizations.ts';
import type { Executor, Tx } from '../transaction.ts';
import { findPersonCaps } from '../compliance/person-caps.ts';
import { callsOfQuota, isOfToday } from './quota.ts';
import { lockOutGates } from '../gate-locks.ts';
import { locks } from '../locks.ts';

export interface NewOrganization {
  name: string;
  /** The IANA time zone of campaigns that name none. */
  timezone?: string;
  /** Default: `none`. */
  calling_policy?: CallingPolicy;
}

export async function createOrganization(db: Executor, organization: NewOrganization): Promise<string> {
  const row = await db
    .insertInto('organizations')
    .values(organization)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Null if there is an organization already. Only one of several concurrent calls creates one. */
export async function createFirstOrganization(tx: Tx, organization: NewOrganization): Promise<string | null> {
  // Blocks inserts of organizations until the commit, but no reads.
  await sql`lock table organizations in share row exclusive mode`.execute(tx);
  const existing = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  return existing === undefined ? createOrganization(tx, organization) : null;
}

export async function organizationExists(db: Executor, organizationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return row !== undefined;
}

export type OrganizationRow = Pick<
  Selectable<OrganizationTable>,
  'id' | 'name' | 'timezone' | 'default_provider' | 'max_lines'
>;

/** For operators: the organizations with this id or name, or all. Oldest first. */
export function findOrganizations(
  db: Executor,
  { named, limit }: { named?: string | undefined; limit: number },
): Promise<OrganizationRow[]> {
  return db
    .selectFrom('organizations')
    .select(['id', 'name', 'timezone', 'default_provider', 'max_lines'])
    .$if(named !== undefined, (query) =>
      query.where((where) =>
        where.or([
          where('name', '=', named ?? ''),
          where(sql<string>`id::text`, '=', (named ?? '').toLowerCase()),
        ]),
      ),
    )
    .orderBy('created_at')
    .limit(limit)
    .execute();
}

/** How many days data is kept; null for no limit. */
export interface Retention {
  transcripts_days: number | null;
  recordings_days: number | null;
  prompt_values_days: number | null;
  calls_days: number | null;
}

/** The settings that an organization may read. */
export const settingColumns = [
  'name',
  'timezone',
  'calling_policy',
  'max_lines',
  'max_campaigns',
  'max_recipients',
  'max_calls_per_day',
  'max_spend_per_day',
  'requests_per_minute',
  'max_recorded_gigabytes',
  'max_inbound_calls',
  'max_inbound_per_caller_hour',
  'max_inbound_per_number_hour',
  'own_twiml',
  'voice_hosts',
  'allowed_countries',
  'reassigned_query_days',
  'keep_transcripts_days',
  'keep_recordings_days',
  'keep_prompt_values_days',
  'keep_calls_days',
] as const;

export type OrganizationDetails = NonNullable<Awaited<ReturnType<typeof findOrganizationDetails>>>;

export async function findOrganizationDetails(db: Executor, organizationId: string) {
  const row = await db
    .selectFrom('organizations')
    .select(['id', ...settingColumns, 'created_at', 'updated_at'])
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const {
    keep_transcripts_days: transcripts_days,
    keep_recordings_days: recordings_days,
    keep_prompt_values_days: prompt_values_days,
    keep_calls_days: calls_days,
    ...details
  } = row;
  return {
    ...details,
    max_spend_per_day: row.max_spend_per_day === null ? null : Number(row.max_spend_per_day),
    person_caps: await findPersonCaps(db, organizationId),
    retention: { transcripts_days, recordings_days, prompt_values_days, calls_days },
  };
}

/** The IANA time zone of campaigns that name none. */
export async function organizationTimezone(db: Executor, organizationId: string): Promise<string> {
  const row = await db
    .selectFrom('organizations')
    .select('timezone')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return row.timezone;
}

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
    with own as materialized (
      select id from campaigns where organization_id = ${organizationId} and deleted_at is null)
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

/** Locks the policy of an organization until the commit, so that a new campaign gets the policy under which it was checked. Comes before any other lock. */
export async function lockCallingPolicy(tx: Tx, organizationId: string): Promise<CallingPolicy> {
  await sql`select ${locks.callingPolicy.share(organizationId)}`.execute(tx);
  return (await findCallingPolicy(tx, organizationId)) ?? 'none';
}

export async function findCallingPolicy(db: Executor, organizationId: string): Promise<CallingPolicy | null> {
  const row = await db
    .selectFrom('organizations')
    .select('calling_policy')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return row?.calling_policy ?? null;
}

/**
 * Applies a policy to the campaigns of an organization under new revisions. Waits for campaigns that are being created and for open gates. The
 * keys of recipients follow in batches (`rekeyBatch`), and until then gates refuse those of another policy. If the policy has caps per person,
 * counts earlier calls for them. Call it before updating the organization's row in the same transaction.
 */
export async function applyCallingPolicy(
  tx: Executor,
  organizationId: string,
  policy: CallingPolicy,
): Promise<void> {
  if (!tx.isTransaction) throw new Error('applyCallingPolicy needs a transaction');
  await sql`select ${locks.callingPolicy.take(organizationId)}`.execute(tx);
  await lockOutGates(tx, organizationId);
  await sql`
    with own as materialized (
      select id from campaigns
      where organization_id = ${organizationId} and calling_policy <> ${policy} order by id for no key update)
    -- Differs from the new policy even if that is the one before an unfinished change, so that people whose keys have changed get them again.
    update campaigns c set calling_policy = ${policy}, calling_keys_policy = c.calling_policy, revision = c.revision + 1
    from own where c.id = own.id`.execute(tx);
  if (policy !== 'none') await sql`select fill_called_people(${organizationId}::uuid)`.execute(tx);
}
