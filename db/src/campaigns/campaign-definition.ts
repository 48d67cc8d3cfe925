import type { CallingPolicy, CampaignPurpose, CampaignRules, ConsentRule, PersonCaps } from '@outdial/core';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { applyRules, rulesInForce } from '../compliance/rule-versions.ts';
import { effectivePersonCaps } from '../compliance/person-free-at.ts';
import type { CampaignConfigTable, CampaignTable } from '../schema/campaigns.ts';
import type { Executor } from '../transaction.ts';

type Campaign = Selectable<CampaignTable>;
type Config = Selectable<CampaignConfigTable>;

export interface RulesRow
  extends
    Pick<Campaign, 'status' | 'start_at' | 'end_at' | 'start_time' | 'end_time' | 'timezone'>,
    Pick<
      Config,
      'call_on_weekend' | 'queue_again' | 'call_back_attempts' | 'retry_delay_seconds' | 'purpose'
    >,
    Pick<Config, 'retry_delays_seconds' | 'retry_on' | 'max_attempts_per_recipient'> {}

export type RulesOfCampaign = CampaignRules & { purpose: CampaignPurpose | null };

/** The columns of a `RulesRow`, from `campaigns c` and `campaign_configs f`. */
export const rulesColumns: RawBuilder<unknown> = sql`
  c.status, c.start_at, c.end_at, c.start_time, c.end_time, c.timezone, f.call_on_weekend, f.queue_again, f.call_back_attempts,
  f.retry_delay_seconds, f.retry_delays_seconds, f.retry_on, f.max_attempts_per_recipient, f.purpose`;

export function toRules(row: RulesRow): RulesOfCampaign {
  return {
    status: row.status,
    schedule: {
      startAt: row.start_at,
      endAt: row.end_at,
      startTime: row.start_time,
      endTime: row.end_time,
      callOnWeekend: row.call_on_weekend,
      timezone: row.timezone,
    },
    policy: {
      callBackAttempts: row.call_back_attempts,
      retryDelaySeconds: row.retry_delay_seconds,
      retryDelaysSeconds: row.retry_delays_seconds,
      retryOn: row.retry_on,
      queueAgain: row.queue_again,
      maxAttemptsPerRecipient: row.max_attempts_per_recipient,
    },
    purpose: row.purpose,
  };
}

/** What gates and retries need to know about a campaign, as of one revision. */
export interface CampaignDefinition extends RulesOfCampaign {
  id: string;
  organizationId: string;
  agentId: string;
  revision: number;
  /** The current policy of its organization. */
  callingPolicy: CallingPolicy;
  maxConcurrentCalls: number;
  callsPerSecond: number | null;
  priority: number;
  consent: ConsentRule;
  /** The names of the scrub lists that it requires; null for none. */
  scrubLists: string[] | null;
  /** The organization's caps per person when this was read; null if it has none. The gate uses the current ones. */
  personCaps: PersonCaps | null;
  callingKeys: string[];
  promptParams: Record<string, string>;
  startedBy: string | null;
  /** The version of the operator's rules that was in force when this was read. */
  rulesVersion: number;
  /** Whether a caller has ever set the config. */
  hasOwnConfig: boolean;
  endedAt: Date | null;
}

export interface CampaignDefinitionRow
  extends
    RulesRow,
    Pick<Campaign, 'id' | 'organization_id' | 'agent_id' | 'revision' | 'calling_keys' | 'calling_policy'>,
    Pick<Campaign, 'prompt_params' | 'started_by' | 'ended_at'>,
    Pick<
      Config,
      'max_concurrent_calls' | 'calls_per_second' | 'priority' | 'require_consent' | 'consent_bases'
    >,
    Pick<Config, 'scrub_lists' | 'reassigned_query_days'> {
  person_caps: PersonCaps | null;
  has_own_config: boolean;
  rules_version: number;
}

/** The columns of a definition, from `definitionTables`. */
export const definitionColumns: RawBuilder<unknown> = sql`
  c.id, c.organization_id, c.agent_id, c.revision, c.calling_keys, c.calling_policy, c.prompt_params, c.started_by, c.ended_at, ${rulesColumns},
  f.max_concurrent_calls, f.calls_per_second, f.priority, f.require_consent, f.consent_bases, f.scrub_lists,
  least(f.reassigned_query_days, (select q.reassigned_query_days from organizations q where q.id = c.organization_id)) as reassigned_query_days,
  ${effectivePersonCaps(sql`c.organization_id`)} as person_caps, f.updated_at > f.created_at as has_own_config,
  ${rulesInForce} as rules_version`;

export const definitionTables: RawBuilder<unknown> = sql`
  campaigns c join campaign_configs f on f.organization_id = c.organization_id and f.campaign_id = c.id`;

/** Applies the operator's rules of this moment first, since each reader of a definition asks the rules about its recipients. */
export async function toDefinition(db: Executor, row: CampaignDefinitionRow): Promise<CampaignDefinition> {
  await applyRules(db, row.rules_version);
  return {
    id: row.id,
    organizationId: row.organization_id,
    agentId: row.agent_id,
    revision: row.revision,
    ...toRules(row),
    callingPolicy: row.calling_policy,
    maxConcurrentCalls: row.max_concurrent_calls,
    callsPerSecond: row.calls_per_second,
    priority: row.priority,
    consent: {
      isRequired: row.require_consent,
      bases: row.consent_bases,
      queryDays: row.reassigned_query_days,
    },
    scrubLists: row.scrub_lists,
    personCaps: row.person_caps,
    callingKeys: row.calling_keys,
    promptParams: row.prompt_params,
    startedBy: row.started_by,
    rulesVersion: row.rules_version,
    hasOwnConfig: row.has_own_config,
    endedAt: row.ended_at,
  };
}

/** Null if the campaign does not exist. Does not check the organization, so it is only for ids from the engine's own rows. */
export async function loadCampaignDefinition(
  db: Executor,
  campaignId: string,
): Promise<CampaignDefinition | null> {
  const { rows } = await sql<CampaignDefinitionRow>`
    select ${definitionColumns} from ${definitionTables} where c.id = ${campaignId}`.execute(db);
  return rows[0] ? toDefinition(db, rows[0]) : null;
}
