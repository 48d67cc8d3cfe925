import type {
  Abandonment,
  CallingPolicy,
  CampaignPurpose,
  CampaignStatus,
  ConsentBasis,
  Deferral,
  FinishReason,
  Outcome,
  Pace,
  RetryDelays,
  WaitingReason,
} from '@outdial/core';
import type { Generated } from 'kysely';
import type { Json, JsonObject, Now, NullableJson } from './columns.ts';

export type RecipientState = 'pending' | 'dialing' | 'done' | 'withdrawn' | 'suppressed';

/** The location of a person as the caller sent it; `CallerPlace` of the core. */
export interface StoredPlace {
  timezone?: string | undefined;
  region?: string | undefined;
  postal_code?: string | undefined;
}

export interface CampaignTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  agent_id: string;
  status: CampaignStatus;
  revision: Generated<number>;
  start_at: Date;
  end_at: Date | null;
  end_date_at: Date | null;
  start_time: string;
  end_time: string;
  timezone: string;
  /** The calling keys of the campaign's recipients. */
  calling_keys: string[];
  calling_policy: Generated<CallingPolicy>;
  calling_keys_policy: Generated<CallingPolicy>;
  /** Without its `recipients`. */
  additional_params: Json<JsonObject>;
  /** `additional_params.recipients` as JSON text. */
  recipient_params: Buffer | null;
  /** Increases with each update of the campaign. */
  list_revision: Generated<number>;
  /** Increases when numbers join or leave the list without such an update. */
  recipients_revision: Generated<number>;
  prompt_params: Json<Record<string, string>>;
  created_by: string;
  started_by: string | null;
  created_at: Now;
  updated_at: Now;
  ended_at: Date | null;
  deleted_at: Date | null;
  erased_at: Date | null;
  values_deleted_at: Date | null;
}

export interface CampaignConfigTable {
  id: Generated<string>;
  organization_id: string;
  campaign_id: string;
  call_on_weekend: Generated<boolean>;
  queue_again: Generated<boolean>;
  call_back_attempts: Generated<number>;
  retry_delay_seconds: Generated<number>;
  retry_delays_seconds: NullableJson<RetryDelays>;
  retry_on: Generated<Outcome[]>;
  max_concurrent_calls: Generated<number>;
  calls_per_second: number | null;
  max_attempts_per_recipient: number | null;
  priority: Generated<number>;
  purpose: CampaignPurpose | null;
  require_consent: Generated<boolean>;
  consent_bases: ConsentBasis[] | null;
  scrub_lists: string[] | null;
  reassigned_query_days: number | null;
  created_at: Now;
  updated_at: Now;
}

export interface CampaignRuntimeTable {
  campaign_id: string;
  organization_id: string;
  provider: string;
  lines_in_use: Generated<number>;
  pace: NullableJson<Pace>;
  wake_at: Date | null;
  next_dial_at: Date | null;
  waiting_for: WaitingReason | null;
  served_at: Date | null;
  withdrawing: Generated<boolean>;
  replan: Generated<boolean>;
  stopped_at: Date | null;
  failures: Generated<number>;
  last_error: string | null;
  retry_at: Date | null;
  blocked_since: Date | null;
  blocked_for: WaitingReason | null;
  blocked_event_at: Date | null;
  abandonment: NullableJson<Abandonment>;
}

export interface FailingRecipientTable {
  recipient_id: string;
  organization_id: string;
  campaign_id: string;
  attempts: number;
  failures: number;
  last_error: string;
  failing_since: Date;
  last_failed_at: Date;
}

export interface CampaignRecipientTable {
  organization_id: string;
  campaign_id: string;
  id: Generated<string>;
  position: number;
  phone_number: string;
  /** A zone without a policy. */
  calling_key: string;
  place: Json<JsonObject | null>;
  prompt_params: Json<Record<string, string> | null>;
  state: Generated<RecipientState>;
  attempts: Generated<number>;
  round: Generated<number>;
  round_attempts: Generated<number>;
  next_attempt_at: Date | null;
  first_attempt_at: Date | null;
  last_outcome: Outcome | null;
  withdrawn_at: Date | null;
  call_id: string | null;
  finish_reason: FinishReason | null;
  requested_round: number | null;
  deferred_until: Date | null;
  deferred_for: Deferral | null;
}

/** The latest forecast of each running campaign's end. */
export interface CampaignEstimateTable {
  campaign_id: string;
  organization_id: string;
  revision: number;
  ends_at: Date | null;
  estimated_at: Date;
  next_at: Date;
  rests_until: Date;
}
