import type { CallingPolicy, PersonCaps } from '@outdial/core';
import { findPersonCaps } from '../compliance/person-caps.ts';
import type { Executor } from '../transaction.ts';

/** How many days data is kept; null for no limit. */
export interface Retention {
  transcripts_days: number | null;
  recordings_days: number | null;
  prompt_values_days: number | null;
  calls_days: number | null;
}

export interface OrganizationDetails {
  id: string;
  name: string;
  timezone: string;
  calling_policy: CallingPolicy;
  max_lines: number | null;
  max_campaigns: number | null;
  max_recipients: number | null;
  max_calls_per_day: number | null;
  max_spend_per_day: number | null;
  requests_per_minute: number | null;
  max_recorded_gigabytes: number | null;
  max_inbound_calls: number | null;
  max_inbound_per_caller_hour: number | null;
  max_inbound_per_number_hour: number | null;
  own_twiml: boolean;
  voice_hosts: string[];
  allowed_countries: string[] | null;
  reassigned_query_days: number | null;
  person_caps: PersonCaps;
  retention: Retention;
  created_at: Date;
  updated_at: Date;
}

export async function findOrganizationDetails(
  db: Executor,
  organizationId: string,
): Promise<OrganizationDetails | null> {
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
