import type { EventType, Pace } from '@outdial/core';
import type { Generated } from 'kysely';
import type { Json, JsonObject, Now, NullableJson } from './columns.ts';

export interface EngineClockTable {
  only_row: Generated<boolean>;
  offset_ms: Generated<string>;
}

/** The code of an answer that may be the account's, and a mark of each person for whom a provider answered with it in a row. */
export interface UnknownCode {
  code: string;
  people: readonly string[];
  /** Since when, for a code that is known to be the account's or the number's. */
  since?: string;
  /** Accepted calls ended with the code, so that another acceptance does not show that the provider is up. */
  isLate?: boolean;
}

export interface ProviderTable {
  name: string;
  adapter: string;
  max_lines: number | null;
  lines_in_use: Generated<number>;
  calls_per_second: number | null;
  pace: NullableJson<Pace>;
  closed_until: Date | null;
  closed_reason: string | null;
  failures_in_a_row: Generated<number>;
  /** Null if the last answer had a known meaning. */
  unknown_code: NullableJson<UnknownCode>;
  settings: Json<JsonObject>;
  created_at: Now;
  updated_at: Now;
}

export interface StoredFileTable {
  key: string;
  organization_id: string;
  state: Generated<'uploading' | 'kept' | 'removing'>;
  state_since: Now;
}

export interface FileChunkTable {
  key: string;
  position: number;
  bytes: Buffer;
}

export interface OutboxSubjectTable {
  subject_id: string;
  campaign_id: string;
  last_sequence: string;
}

export interface OutboxTable {
  id: Generated<string>;
  organization_id: string;
  type: EventType;
  campaign_id: string | null;
  recipient_id: string | null;
  call_id: string | null;
  data: Json<JsonObject>;
  created_at: Date;
  ordinal: Generated<string>;
  position: string | null;
  subject_id: Generated<string>;
  sequence: string | null;
}
