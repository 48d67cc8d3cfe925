import type { CallingPolicy, ConsentBasis, ConsentRule } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { applyRules, rulesInForce } from '../compliance/rule-versions.ts';
import { effectivePersonCaps } from '../compliance/person-free-at.ts';
import type { PersonCapsJson } from '../schema/compliance.ts';
import type { Executor } from '../transaction.ts';
import { type RulesOfCampaign, type RulesRow, rulesColumns, toRules } from './campaign-rules.ts';

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
  personCaps: PersonCapsJson | null;
  /** The calling keys of its recipients. */
  callingKeys: string[];
  promptParams: Record<string, string>;
  startedBy: string | null;
  /** Whether a caller has ever set the config. */
  hasOwnConfig: boolean;
  endedAt: Date | null;
}

export interface CampaignDefinitionRow extends RulesRow {
  id: string;
  organization_id: string;
  agent_id: string;
  revision: number;
  calling_keys: string[];
  calling_policy: CallingPolicy;
  prompt_params: Record<string, string>;
  started_by: string | null;
  ended_at: Date | null;
  max_concurrent_calls: number;
  calls_per_second: number | null;
  priority: number;
  require_consent: boolean;
  consent_bases: ConsentBasis[] | null;
  scrub_lists: string[] | null;
  reassigned_query_days: number | null;
  person_caps: PersonCapsJson | null;
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

/** Applies the operator's rules of this moment first, since whoever reads a definition asks the rules about its recipients. */
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
