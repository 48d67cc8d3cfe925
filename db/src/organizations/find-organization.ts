import { findPersonCaps } from '../compliance/person-caps.ts';
import type { Executor } from '../transaction.ts';

/** How many days data is kept; null for no limit. */
export interface Retention {
  transcripts_days: number | null;
  recordings_days: number | null;
  prompt_values_days: number | null;
  calls_days: number | null;
}

export type OrganizationDetails = NonNullable<Awaited<ReturnType<typeof findOrganizationDetails>>>;

export async function findOrganizationDetails(db: Executor, organizationId: string) {
  const row = await db
    .selectFrom('organizations')
    .select([
      'id',
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
      'created_at',
      'updated_at',
    ])
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
