import type { CallingPolicy } from '@outdial/core';
import type { ColumnType, Generated } from 'kysely';
import type { CallerIdRulesJson } from './caller-ids.ts';
import type { Json, Now } from './columns.ts';

export type Role = 'admin' | 'manager' | 'member' | 'viewer';

export interface OrganizationTable {
  id: Generated<string>;
  name: string;
  timezone: Generated<string>;
  calling_policy: Generated<CallingPolicy>;
  default_provider: string | null;
  max_lines: number | null;
  lines_in_use: Generated<number>;
  line_weight: Generated<number>;
  keep_transcripts_days: number | null;
  keep_recordings_days: number | null;
  keep_prompt_values_days: number | null;
  keep_calls_days: number | null;
  allowed_countries: string[] | null;
  allowed_special_numbers: Generated<string[]>;
  max_campaigns: number | null;
  max_recipients: number | null;
  max_calls_per_day: number | null;
  /** For recordings in the installation's own file store. */
  max_recorded_gigabytes: number | null;
  max_inbound_calls: number | null;
  max_inbound_per_caller_hour: number | null;
  max_inbound_per_number_hour: number | null;
  /** A numeric, which the driver returns as text. */
  max_spend_per_day: ColumnType<string | null, number | null, number | null>;
  requests_per_minute: number | null;
  /** Whether agents may bring TwiML of their own. */
  own_twiml: Generated<boolean>;
  /** The hosts to which agents may connect answered calls. */
  voice_hosts: Generated<string[]>;
  /** Within how many days a query must have said that a number was not given up, for every call. */
  reassigned_query_days: number | null;
  has_caller_ids: Generated<boolean>;
  caller_id_rules: Json<CallerIdRulesJson>;
  created_at: Now;
  updated_at: Now;
}

export interface UserTable {
  id: Generated<string>;
  organization_id: string;
  email: string;
  first_name: string;
  last_name: string;
  role: Role;
  created_at: Now;
  updated_at: Now;
  disabled_at: Date | null;
  tokens_not_before: Date | null;
  role_follows_token: Generated<boolean>;
}

export interface ApiKeyTable {
  id: Generated<string>;
  organization_id: string;
  user_id: string;
  name: string;
  prefix: string;
  key_hash: Buffer;
  role: Role;
  expires_at: Date | null;
  /** Before the first rotation, which shortened it; `infinity` if there was none. Null for a key that was not rotated. */
  original_expires_at: Generated<Date | null>;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Now;
}
