import type { CallPhase, CampaignStatus, FileKind, Outcome } from '@outdial/core';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** The tables as Kysely sees them: what `db/migrations` has made. Instants are `Date`, big numbers strings. */
export interface Database {
  engine_clock: EngineClockTable;
  providers: ProviderTable;
  organizations: OrganizationTable;
  users: UserTable;
  api_keys: ApiKeyTable;
  agents: AgentTable;
  agent_skills: AgentSkillTable;
  agent_prompts: AgentPromptTable;
  campaigns: CampaignTable;
  campaign_configs: CampaignConfigTable;
  campaign_runtime: CampaignRuntimeTable;
  campaign_recipients: CampaignRecipientTable;
  calls: CallTable;
  suppressions: SuppressionTable;
  idempotency_keys: IdempotencyKeyTable;
  stored_files: StoredFileTable;
  file_chunks: FileChunkTable;
  knowledge_base_usage: KnowledgeBaseUsageTable;
  knowledge_bases: KnowledgeBaseTable;
  knowledge_base_documents: KnowledgeBaseDocumentTable;
  knowledge_base_items: KnowledgeBaseItemTable;
  knowledge_base_pages: KnowledgeBasePageTable;
  knowledge_base_passages: KnowledgeBasePassageTable;
  knowledge_base_index: KnowledgeBaseIndexTable;
  knowledge_base_languages: KnowledgeBaseLanguageTable;
}

export type JsonObject = Record<string, unknown>;
/** Written as JSON text (arrays need it: pg would send a Postgres array), read as the parsed value. */
type Json<T> = ColumnType<T, string | undefined, string>;
type Now = ColumnType<Date, Date | undefined, Date>;

export type Role = 'admin' | 'manager' | 'member' | 'viewer';
export type RecipientState = 'pending' | 'claimed' | 'dialing' | 'done' | 'withdrawn' | 'suppressed';

interface EngineClockTable {
  only_row: Generated<boolean>;
  offset_ms: Generated<string>;
}

export interface ProviderTable {
  name: string;
  adapter: string;
  max_lines: number | null;
  lines_in_use: Generated<number>;
  calls_per_second: number | null;
  next_slot_at: Date | null;
  closed_until: Date | null;
  closed_reason: string | null;
  failures_in_a_row: Generated<number>;
  settings: Json<JsonObject>;
  created_at: Now;
  updated_at: Now;
}

export interface OrganizationTable {
  id: Generated<string>;
  name: string;
  timezone: Generated<string>;
  default_provider: string | null;
  max_lines: number | null;
  lines_in_use: Generated<number>;
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
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Now;
}

export interface AgentTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  config: Json<JsonObject>;
  created_at: Now;
  updated_at: Now;
}

export interface AgentSkillTable {
  id: Generated<string>;
  organization_id: string;
  agent_id: string;
  type: string;
  exec_order: string;
  enabled: Generated<boolean>;
  config: Json<JsonObject>;
  created_at: Now;
}

export interface AgentPromptTable {
  id: GeneratedAlways<string>;
  organization_id: string;
  agent_id: string;
  level: number;
  prompt: string;
  explanation: Generated<string>;
  mitigation: Generated<string>;
  harmful_intents: Json<unknown[]>;
  created_at: Now;
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
  start_time: string;
  end_time: string;
  timezone: string;
  zones: string[];
  additional_params: Json<JsonObject>;
  prompt_params: Json<Record<string, string>>;
  created_by: string;
  started_by: string | null;
  created_at: Now;
  updated_at: Now;
  ended_at: Date | null;
}

export interface CampaignConfigTable {
  id: Generated<string>;
  organization_id: string;
  campaign_id: string;
  call_on_weekend: Generated<boolean>;
  queue_again: Generated<boolean>;
  call_back_attempts: Generated<number>;
  retry_delay_seconds: Generated<number>;
  retry_on: Generated<Outcome[]>;
  max_concurrent_calls: Generated<number>;
  calls_per_second: number | null;
  max_attempts_per_recipient: number | null;
  priority: Generated<number>;
  created_at: Now;
  updated_at: Now;
}

export interface CampaignRuntimeTable {
  campaign_id: string;
  organization_id: string;
  provider: string;
  lines_in_use: Generated<number>;
  next_slot_at: Date | null;
  wake_at: Date | null;
  next_dial_at: Date | null;
  waiting_for: string | null;
  served_at: Date | null;
  withdrawing: Generated<boolean>;
}

export interface CampaignRecipientTable {
  organization_id: string;
  campaign_id: string;
  id: Generated<string>;
  position: number;
  phone_number: string;
  timezone: string;
  prompt_params: Json<Record<string, string> | null>;
  state: Generated<RecipientState>;
  attempts: Generated<number>;
  round: Generated<number>;
  round_attempts: Generated<number>;
  next_attempt_at: Date | null;
  first_attempt_at: Date | null;
  last_outcome: Outcome | null;
  withdrawn_at: Date | null;
  claim_id: string | null;
  claim_provider: string | null;
  slot_at: Date | null;
  lease_expires_at: Date | null;
}

/** One entry of a call's `events`, oldest first. `id` is the provider's own, where it has one. */
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
  provider: string;
  phase: CallPhase;
  outcome: Outcome | null;
  phone_number: string;
  from_phone: string | null;
  prompt_id: string;
  prompt_params: Json<Record<string, string> | null>;
  meta: Json<JsonObject | null>;
  conversation_id: string | null;
  transcript: string | null;
  duration_seconds: number | null;
  cost: ColumnType<string, string | number | undefined, string | number>;
  recording_url: string | null;
  call_extract: Json<JsonObject | null>;
  external_status: string | null;
  events: Json<CallEvent[]>;
  created_by: string;
  created_at: Date;
  queue_deadline_at: Date | null;
  slot_at: Date | null;
  gated_at: Date | null;
  accepted_at: Date | null;
  answered_at: Date | null;
  ended_at: Date | null;
  corrected_at: Date | null;
  check_at: Date | null;
  hangup_requested_at: Date | null;
  line_held: Generated<boolean>;
}

interface SuppressionTable {
  organization_id: string;
  phone_number: string;
  reason: string | null;
  created_at: Now;
}

interface IdempotencyKeyTable {
  organization_id: string;
  method: string;
  path: string;
  key: string;
  body_hash: Buffer;
  response: Json<JsonObject>;
  created_at: Now;
}

export type ItemStatus = 'pending' | 'processing' | 'ready' | 'failed';

interface StoredFileTable {
  key: string;
  organization_id: string;
  state: Generated<'uploading' | 'kept' | 'removing'>;
  state_since: Now;
}

interface FileChunkTable {
  key: string;
  position: number;
  bytes: Buffer;
}

interface KnowledgeBaseUsageTable {
  organization_id: string;
  bytes_used: ColumnType<string, string | number | undefined, string | number>;
}

export interface KnowledgeBaseTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  description: Generated<string>;
  item_count: Generated<number>;
  created_at: Now;
  updated_at: Now;
}

interface KnowledgeBaseDocumentTable {
  id: Generated<string>;
  organization_id: string;
  knowledge_base_id: string;
  sha256: Buffer;
  size_bytes: ColumnType<string, string | number, string | number>;
  file_type: FileKind;
  file_key: string;
  status: Generated<ItemStatus>;
  error_code: string | null;
  error: string | null;
  page_count: number | null;
  pages_done: Generated<number>;
  attempts: Generated<number>;
  lease_id: string | null;
  lease_expires_at: Date | null;
  published_at: Now;
  created_at: Now;
  updated_at: Now;
}

interface KnowledgeBaseItemTable {
  id: Generated<string>;
  organization_id: string;
  knowledge_base_id: string;
  document_id: string;
  name: string;
  notes: string | null;
  created_at: Now;
  updated_at: Now;
}

interface KnowledgeBasePageTable {
  organization_id: string;
  knowledge_base_id: string;
  document_id: string;
  number: number;
  text: string;
}

interface KnowledgeBasePassageTable {
  organization_id: string;
  knowledge_base_id: string;
  document_id: string;
  position: number;
  page: number;
  search_config: string;
  text: string;
}

interface KnowledgeBaseIndexTable {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  search: string;
}

interface KnowledgeBaseLanguageTable {
  organization_id: string;
  knowledge_base_id: string;
  search_config: string;
}
