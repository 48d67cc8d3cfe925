import type { CallingPolicy } from '@outdial/core';
import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';
import { findPersonCaps } from '../compliance/person-caps.ts';

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

export interface OrganizationRow {
  id: string;
  name: string;
  timezone: string;
  default_provider: string | null;
  max_lines: number | null;
}

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
