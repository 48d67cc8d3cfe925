import {
  inboundLimits,
  type CallingPolicy,
  type CarrierInstructionRules,
  type InboundLimits,
  type OpeningRules,
} from '@outdial/core';
import { sql } from 'kysely';
import { applyRules, faultOfRules, rulesInForce } from '../compliance/rule-versions.ts';
import { openingRulesSql } from '../compliance/opening-rules.ts';
import { carrierInstructionRulesSql } from '../organizations/carrier-instruction-rules.ts';
import type { OrganizationLimits } from '../organizations/organization-limits.ts';
import { prepared } from '../postgres/prepared.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';

/** An agent's current settings for calls. */
export interface AgentContext {
  id: string;
  organizationId: string;
  name: string;
  config: JsonObject;
  skills: Array<{ id: string; type: string; exec_order: string; enabled: boolean; config: JsonObject }>;
  /** The newest prompt; null if there is none. */
  prompt: { id: string; text: string } | null;
  /** A deleted agent makes no new calls; its calls in progress continue. */
  isDeleted: boolean;
  organizationProvider: string | null;
  limits: CallLimits;
  instructionRules: CarrierInstructionRules;
  callingPolicy: CallingPolicy;
  hasCallerIds: boolean;
  organizationName: string;
  /** The organization's disclosures and recording rules. */
  openingRules: OpeningRules;
  /** Why the operator's rules do not fit this release; null if they do. */
  rulesFault: string | null;
  /** The engine's clock at the time of reading. */
  now: Date;
}

/** The operator's limits on which numbers the organization may call, and how often. */
export type CallLimits = Pick<
  OrganizationLimits,
  'allowed_countries' | 'allowed_special_numbers' | 'max_calls_per_day' | 'max_spend_per_day'
> & {
  inbound: InboundLimits;
};

export async function loadAgentContext(
  db: Executor,
  args: { organizationId: string; agentId: string },
): Promise<AgentContext | null> {
  const { rows } = await sql<{
    id: string;
    organization_id: string;
    name: string;
    config: JsonObject;
    skills: AgentContext['skills'];
    prompt_id: string | null;
    prompt: string | null;
    default_provider: string | null;
    allowed_countries: string[] | null;
    allowed_special_numbers: string[];
    max_calls_per_day: number | null;
    max_spend_per_day: string | null;
    max_inbound_calls: number | null;
    max_inbound_per_caller_hour: number | null;
    max_inbound_per_number_hour: number | null;
    instruction_rules: CarrierInstructionRules;
    is_deleted: boolean;
    calling_policy: CallingPolicy;
    has_caller_ids: boolean;
    organization_name: string;
    opening_rules: OpeningRules;
    rules_version: number;
    now: Date;
  }>`
    select engine_now() as now, ${rulesInForce} as rules_version, a.id, a.organization_id, a.name, a.config, o.default_provider, o.calling_policy, o.has_caller_ids, o.name as organization_name,
      ${openingRulesSql(sql`o.id`)} as opening_rules, ${carrierInstructionRulesSql(sql`a.config`)} as instruction_rules,
      o.allowed_countries, o.allowed_special_numbers, o.max_calls_per_day, o.max_spend_per_day, o.max_inbound_calls, o.max_inbound_per_caller_hour, o.max_inbound_per_number_hour, p.id as prompt_id, p.prompt,
      a.deleted_at is not null as is_deleted,
      coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'type', s.type, 'exec_order', s.exec_order,
                  'enabled', s.enabled, 'config', s.config) order by s.exec_order, s.id)
                from agent_skills s where s.organization_id = a.organization_id and s.agent_id = a.id), '[]') as skills
    from agents a join organizations o on o.id = a.organization_id
    left join lateral (select id, prompt from agent_prompts
                       where organization_id = a.organization_id and agent_id = a.id order by id desc limit 1) p on true
    where a.id = ${args.agentId} and a.organization_id = ${args.organizationId}`.execute(prepared(db));
  const row = rows[0];
  if (!row) return null;
  await applyRules(db, row.rules_version);
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    config: row.config,
    skills: row.skills,
    prompt: row.prompt_id !== null && row.prompt !== null ? { id: row.prompt_id, text: row.prompt } : null,
    isDeleted: row.is_deleted,
    organizationProvider: row.default_provider,
    limits: {
      allowed_countries: row.allowed_countries,
      allowed_special_numbers: row.allowed_special_numbers,
      max_calls_per_day: row.max_calls_per_day,
      max_spend_per_day: row.max_spend_per_day === null ? null : Number(row.max_spend_per_day),
      inbound: {
        ofCallerPerHour: row.max_inbound_per_caller_hour ?? inboundLimits.ofCallerPerHour,
        toNumberPerHour: row.max_inbound_per_number_hour ?? inboundLimits.toNumberPerHour,
        atATime: row.max_inbound_calls ?? inboundLimits.atATime,
      },
    },
    instructionRules: row.instruction_rules,
    callingPolicy: row.calling_policy,
    hasCallerIds: row.has_caller_ids,
    organizationName: row.organization_name,
    openingRules: row.opening_rules,
    rulesFault: faultOfRules(row.rules_version),
    now: row.now,
  };
}
