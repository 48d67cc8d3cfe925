import type { Generated } from 'kysely';
import type { Json, JsonObject } from './columns.ts';

export interface RetentionProgressTable {
  organization_id: string;
  kind: 'transcripts' | 'recordings' | 'prompt_values' | 'calls';
  done_until: Date;
}

export interface UsageOfDeletedCallsTable {
  organization_id: string;
  hour: Date;
  campaign_id: string | null;
  agent_id: string;
  outcome: string;
  calls: string;
  seconds: string;
  cost: string;
}

export interface ErasureTable {
  id: Generated<string>;
  organization_id: string;
  requested_by: string | null;
  created_at: Date;
  counts: Json<JsonObject>;
}

export interface RecordingDeletionTable {
  call_id: string;
  organization_id: string;
  erasure_id: string | null;
  provider: string;
  conversation_id: string | null;
  recording_url: string;
  attempt: number;
  gated_at: Date;
  tries: Generated<number>;
  next_try_at: Date;
  last_error: string | null;
  failed_at: Date | null;
  created_at: Date;
}
