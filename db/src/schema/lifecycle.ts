import type { Generated } from 'kysely';
import type { Json, JsonObject, Now } from './columns.ts';
import type { Role } from './organizations.ts';

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

export interface AuditLogTable {
  id: Generated<string>;
  organization_id: string | null;
  created_at: Date;
  action: string;
  actor_type: 'user' | 'operator';
  user_id: string | null;
  operator: string | null;
  credential_type: string | null;
  credential_id: string | null;
  ip: string | null;
  target_type: string | null;
  target_id: string | null;
  changes: Json<JsonObject>;
  fields: Generated<string[]>;
}

export interface IdempotencyKeyTable {
  organization_id: string;
  method: string;
  path: string;
  key: string;
  body_hash: Buffer;
  response: Json<JsonObject>;
  created_at: Now;
}

export interface ConsoleSessionTable {
  id: Generated<string>;
  token_hash: Buffer;
  organization_id: string;
  user_id: string;
  role: Role;
  api_key_id: string | null;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

export interface SignInLinkTable {
  token_hash: Buffer;
  organization_id: string;
  user_id: string;
  /** Null for an operator. */
  created_by: string | null;
  /** The API key that created the link, or the key of the session that created it. */
  api_key_id: string | null;
  created_at: Date;
  expires_at: Date;
}
