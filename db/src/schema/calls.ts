import type { CallKind, CallPhase, CampaignPurpose, Outcome } from '@outdial/core';
import type { ColumnType, Generated } from 'kysely';
import type { Json, JsonObject, Now } from './columns.ts';
import type { PersonCheckJson } from './compliance.ts';

/** An entry of a call's `events`, oldest first. `id` is the provider's own, if it has one. */
export interface CallEvent {
  type: string;
  at: string;
  id?: string;
  [detail: string]: unknown;
}

export interface CallTable {
  id: string;
  organization_id: string;
  agent_id: string;
  campaign_id: string | null;
  recipient_id: string | null;
  attempt: Generated<number>;
  round: number | null;
  round_attempt: number | null;
  provider: string;
  kind: Generated<CallKind>;
  phase: CallPhase;
  outcome: Outcome | null;
  phone_number: string;
  from_phone: string | null;
  /** The organization's caller id, if it has any. */
  caller_id: string | null;
  prompt_id: string;
  prompt_params: Json<Record<string, string | null> | null>;
  meta: Json<JsonObject | null>;
  conversation_id: string | null;
  transcript: string | null;
  duration_seconds: number | null;
  cost: ColumnType<string, string | number | undefined, string | number>;
  recording_url: string | null;
  call_extract: Json<JsonObject | null>;
  external_status: string | null;
  events: Json<CallEvent[]>;
  /** Null for an inbound telephone call, which no user started. */
  created_by: string | null;
  created_at: Date;
  queue_deadline_at: Date | null;
  /** Of a direct call; a call of a campaign has its campaign's. */
  purpose: CampaignPurpose | null;
  consent_id: string | null;
  grounds_id: string | null;
  person_check: Json<PersonCheckJson | null>;
  scrub_check: Json<Record<string, string | null> | null>;
  gated_at: Date | null;
  accepted_at: Date | null;
  answered_at: Date | null;
  ended_at: Date | null;
  corrected_at: Date | null;
  check_at: Date | null;
  hangup_requested_at: Date | null;
  line_held: Generated<boolean>;
  /** Transfers of the person to another number. */
  transfers: Generated<number>;
  /** Whether the call has a second line for a transfer. */
  transfer_line: Generated<boolean>;
  notes: string | null;
  comments: string | null;
  quality: number | null;
  tag_ids: Generated<string[]>;
}

export interface TagTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  created_at: Now;
}

export interface SuppressionTable {
  organization_id: string;
  phone_number: string;
  reason: string | null;
  source: string | null;
  note: string | null;
  created_by: string | null;
  created_at: Now;
  expires_at: Date | null;
  /** When the sweep next looks for recipients that wait for this number; null when none is left. */
  recipients_check_at: Generated<Date | null>;
}

/** Do-not-call requests of erased people. */
export interface ErasedSuppressionTable {
  organization_id: string;
  number_hash: Buffer;
  created_at: Date;
  expires_at: Date | null;
}

export interface InstallationSuppressionTable {
  phone_number: string;
  reason: string | null;
  created_at: Date;
  recipients_check_at: Generated<Date | null>;
}
