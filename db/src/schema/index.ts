import type { AgentTable, AgentSkillTable, AgentPromptTable } from './agents.ts';
import type {
  AuditLogTable,
  ConsoleSessionTable,
  ErasureTable,
  IdempotencyKeyTable,
  RecordingDeletionTable,
  RetentionProgressTable,
  SignInLinkTable,
  UsageOfDeletedCallsTable,
} from './lifecycle.ts';
import type {
  CallTable,
  ErasedSuppressionTable,
  InstallationSuppressionTable,
  SuppressionTable,
  TagTable,
} from './calls.ts';
import type {
  CampaignEstimateTable,
  CampaignTable,
  CampaignConfigTable,
  CampaignRuntimeTable,
  CampaignRecipientTable,
  FailingRecipientTable,
} from './campaigns.ts';
import type {
  CallVoiceTable,
  CampaignVoicesTable,
  DisclosureTable,
  RecordingRuleTable,
  CalledPeopleTable,
  GateGroundsTable,
  GateRefusalTable,
  RuleVersionTable,
  PersonCapsTable,
  NumberChangeTable,
  PersonNumberTable,
  RevocationTable,
  ComplianceRowsHeldTable,
  ScrubListNumberTable,
  ScrubListTable,
} from './compliance.ts';
import type { CallerIdTable, CallerIdUseTable } from './caller-ids.ts';
import type {
  EngineClockTable,
  FileChunkTable,
  OutboxSubjectTable,
  OutboxTable,
  ProviderTable,
  StoredFileTable,
} from './engine.ts';
import type {
  KnowledgeBaseUsageTable,
  KnowledgeBaseTable,
  KnowledgeBaseDocumentTable,
  KnowledgeBaseItemTable,
  KnowledgeBasePageTable,
  KnowledgeBasePassageTable,
  KnowledgeBaseIndexTable,
  KnowledgeBaseLanguageTable,
} from './knowledge-bases.ts';
import type { OrganizationTable, UserTable, ApiKeyTable } from './organizations.ts';
import type { WebhookDeliveryTable, WebhookEndpointTable } from './webhooks.ts';

/** The tables of `db/migrations` as Kysely types. Instants are `Date`, and bigint and numeric are strings. */
export interface Database {
  engine_clock: EngineClockTable;
  providers: ProviderTable;
  organizations: OrganizationTable;
  users: UserTable;
  api_keys: ApiKeyTable;
  console_sessions: ConsoleSessionTable;
  sign_in_links: SignInLinkTable;
  agents: AgentTable;
  agent_skills: AgentSkillTable;
  agent_prompts: AgentPromptTable;
  campaigns: CampaignTable;
  campaign_configs: CampaignConfigTable;
  campaign_runtime: CampaignRuntimeTable;
  campaign_recipients: CampaignRecipientTable;
  failing_recipients: FailingRecipientTable;
  calls: CallTable;
  suppressions: SuppressionTable;
  installation_suppressions: InstallationSuppressionTable;
  erased_suppressions: ErasedSuppressionTable;
  person_caps: PersonCapsTable;
  number_changes: NumberChangeTable;
  revocations: RevocationTable;
  person_numbers: PersonNumberTable;
  scrub_lists: ScrubListTable;
  scrub_list_numbers: ScrubListNumberTable;
  compliance_rows_held: ComplianceRowsHeldTable;
  called_people: CalledPeopleTable;
  gate_grounds: GateGroundsTable;
  gate_refusals: GateRefusalTable;
  rule_versions: RuleVersionTable;
  disclosures: DisclosureTable;
  recording_rules: RecordingRuleTable;
  call_voices: CallVoiceTable;
  campaign_voices: CampaignVoicesTable;
  campaign_estimates: CampaignEstimateTable;
  caller_ids: CallerIdTable;
  caller_id_uses: CallerIdUseTable;
  tags: TagTable;
  audit_log: AuditLogTable;
  retention_progress: RetentionProgressTable;
  usage_of_deleted_calls: UsageOfDeletedCallsTable;
  erasures: ErasureTable;
  recording_deletions: RecordingDeletionTable;
  idempotency_keys: IdempotencyKeyTable;
  outbox: OutboxTable;
  outbox_subjects: OutboxSubjectTable;
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
  webhook_endpoints: WebhookEndpointTable;
  webhook_deliveries: WebhookDeliveryTable;
}
