import { sql } from 'kysely';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from './campaign-definition.ts';
import type { Executor } from '../transaction.ts';

export interface WarningView {
  now: Date;
  createdAt: Date;
  definition: CampaignDefinition;
  /** Whether the campaign's own parameters name a time zone. */
  namesTimezone: boolean;
  /** The agent's newest prompt. */
  prompt: string | null;
}

/** Null if the organization has no such campaign. */
export async function findWarningView(
  db: Executor,
  key: { organizationId: string; campaignId: string },
): Promise<WarningView | null> {
  const { rows } = await sql<
    CampaignDefinitionRow & { now: Date; created_at: Date; names_timezone: boolean; prompt: string | null }
  >`
    select ${definitionColumns}, engine_now() as now, c.created_at, c.additional_params ->> 'timezone' is not null as names_timezone,
      (select p.prompt from agent_prompts p where p.organization_id = c.organization_id and p.agent_id = c.agent_id
       order by p.id desc limit 1) as prompt
    from ${definitionTables}
    where c.organization_id = ${key.organizationId} and c.id = ${key.campaignId} and c.deleted_at is null`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    now: row.now,
    createdAt: row.created_at,
    definition: await toDefinition(db, row),
    namesTimezone: row.names_timezone,
    prompt: row.prompt,
  };
}

/** Counts the remaining recipients without a value for a name, up to `atMost`. */
export async function countWithoutValue(
  db: Executor,
  args: { organizationId: string; campaignId: string; name: string; atMost: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from campaign_recipients
      where organization_id = ${args.organizationId} and campaign_id = ${args.campaignId} and state = 'pending'
        and (prompt_params is null or not jsonb_exists(prompt_params, ${args.name}))
      limit ${args.atMost}) missing`.execute(db);
  return rows[0]?.count ?? 0;
}
