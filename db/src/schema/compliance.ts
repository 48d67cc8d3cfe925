import type { NumberChangeKind, PersonCaps, RecordingMode, RuleOverlay } from '@outdial/core';
import type { Generated } from 'kysely';
import type { Json, JsonObject, Now } from './columns.ts';

/** What a gate read from the ledger of a person. */
export interface PersonCheckJson {
  calls?: Array<{ calls: number; hours: number; made: number }>;
  gap_seconds?: number;
  after_conversation_hours?: number;
  last_call_at?: string;
  conversation_at?: string;
}

/** The rules and windows of gates' decisions; `content` has the type `GroundsJson`. */
export interface GateGroundsTable {
  id: string;
  organization_id: string;
  release_id: string | null;
  content: Json<JsonObject>;
  created_at: Now;
}

/** Rows are added and never changed; the newest is in force. */
export interface RuleVersionTable {
  id: Generated<number>;
  name: string;
  document: Json<RuleOverlay>;
  imported_at: Date;
}

export interface GateRefusalTable {
  recipient_id: string;
  organization_id: string;
  campaign_id: string;
  counts: Json<Record<string, number>>;
  first_at: Date;
  last_at: Date;
  last_reason: string;
  last_grounds_id: string | null;
  last_person_check: Json<PersonCheckJson | null>;
}

export interface ScrubListTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  source: string;
  account: string | null;
  /** Of the newest complete version; null before the first one. */
  scrubbed_at: Date | null;
  removed_at: Date | null;
  /** ISO 3166; null if unknown. */
  jurisdiction: string | null;
  /** How many days the importer asked for; null for as many as the law allows. */
  asked_days: number | null;
  /** How many days a version is good for: as many, but never more than the law allows. */
  good_for_days: Generated<number>;
  numbers: string | null;
  partial_scrubbed_at: Date | null;
  partial_numbers: Generated<string>;
  partial_hash: Buffer | null;
  created_at: Date;
  updated_at: Date;
}

export interface ScrubListNumberTable {
  organization_id: string;
  phone_number: string;
  scrub_list_id: string;
  scrubbed_at: Date;
}

export interface PersonNumberTable {
  organization_id: string;
  phone_number: string;
  person_ref: string;
  created_at: Date;
}

export interface RevocationTable {
  id: Generated<string>;
  organization_id: string;
  phone_number: string;
  channel: string;
  words: string | null;
  call_id: string | null;
  created_by: string | null;
  received_at: Date;
  created_at: Date;
}

export interface NumberChangeTable {
  id: Generated<string>;
  organization_id: string;
  phone_number: string;
  kind: NumberChangeKind;
  changed_at: Date;
  source: string;
  created_by: string | null;
  created_at: Date;
}

export interface ComplianceRowsHeldTable {
  organization_id: string;
  relation: 'scrub_list_numbers' | 'number_changes' | 'person_numbers' | 'number_queries';
  held: number;
}

export interface PersonCapsTable {
  organization_id: string;
  caps: Json<PersonCaps>;
  updated_at: Now;
}

export interface CalledPeopleTable {
  organization_id: string;
  phone_number: string;
  dialed_at: Generated<Date[]>;
  campaign_ids: Generated<Array<string | null>>;
  conversation_at: Date | null;
}

export interface DisclosureTable {
  organization_id: string;
  /** A state, a country or `*`. */
  jurisdiction: string;
  language: string;
  text: string;
  updated_at: Date;
}

export interface RecordingRuleTable {
  organization_id: string;
  jurisdiction: string;
  mode: RecordingMode;
  updated_at: Date;
}

export interface CallVoiceTable {
  call_id: string;
  campaign_id: string;
  is_abandoned: boolean;
  at: Date;
}

export interface CampaignVoicesTable {
  campaign_id: string;
  day: Date;
  connected: Generated<number>;
  abandoned: Generated<number>;
}
