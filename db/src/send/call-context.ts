import {
  inboundLimits,
  type CarrierInstructionRules,
  type InboundLimits,
  type OpeningRules,
} from '@outdial/core';
import { type Selectable, sql } from 'kysely';
import { type AgentRow, skillsOfAgent } from '../agents/agents.ts';
import { applyRules, faultOfRules, rulesInForce } from '../compliance/rule-versions.ts';
import { openingRulesSql } from '../compliance/opening-rules.ts';
import { carrierInstructionRulesSql } from '../organizations/carrier-instruction-rules.ts';
import type { OrganizationLimits } from '../organizations/organizations.ts';
import { prepared } from '../postgres/prepared.ts';
import type { AgentTable } from '../schema/agents.ts';
import type { OrganizationTable } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';
import type { AgentKey } from '../keys.ts';

/** An agent's current settings for calls. */
export interface AgentContext
  extends
    Pick<Selectable<AgentTable>, 'id' | 'organization_id' | 'name' | 'config'>,
    Pick<Selectable<OrganizationTable>, 'default_provider' | 'calling_policy' | 'has_caller_ids'> {
  organization_name: string;
  skills: AgentRow['skills'];
  /** The newest prompt; null if there is none. */
  prompt: { id: string; text: string } | null;
  /** A deleted agent makes no new calls; its calls in progress continue. */
  is_deleted: boolean;
  limits: CallLimits;
  instruction_rules: CarrierInstructionRules;
  /** The organization's disclosures and recording rules. */
  opening_rules: OpeningRules;
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

export async function loadAgentContext(db: Executor, args: AgentKey): Promise<AgentContext | null> {
  const { ofCallerPerHour, toNumberPerHour, atATime } = inboundLimits;
  const { rows } = await sql<Omit<AgentContext, 'rulesFault'> & { rules_version: number }>`
    select engine_now() as now, ${rulesInForce} as rules_version, a.id, a.organization_id, a.name, a.config, o.default_provider, o.calling_policy, o.has_caller_ids, o.name as organization_name,
      ${openingRulesSql(sql`o.id`)} as opening_rules, ${carrierInstructionRulesSql(sql`a.config`)} as instruction_rules,
      jsonb_build_object('allowed_countries', o.allowed_countries, 'allowed_special_numbers', o.allowed_special_numbers,
        'max_calls_per_day', o.max_calls_per_day, 'max_spend_per_day', o.max_spend_per_day,
        'inbound', jsonb_build_object('ofCallerPerHour', coalesce(o.max_inbound_per_caller_hour, ${ofCallerPerHour}::int),
          'toNumberPerHour', coalesce(o.max_inbound_per_number_hour, ${toNumberPerHour}::int),
          'atATime', coalesce(o.max_inbound_calls, ${atATime}::int))) as limits,
      (select jsonb_build_object('id', p.id, 'text', p.prompt) from agent_prompts p
        where p.organization_id = a.organization_id and p.agent_id = a.id order by p.id desc limit 1) as prompt,
      a.deleted_at is not null as is_deleted, ${skillsOfAgent} as skills
    from agents a join organizations o on o.id = a.organization_id
    where a.id = ${args.agentId} and a.organization_id = ${args.organizationId}`.execute(prepared(db));
  const row = rows[0];
  if (!row) return null;
  const { rules_version, ...context } = row;
  await applyRules(db, rules_version);
  return { ...context, rulesFault: faultOfRules(rules_version) };
}
