import { sql, type Selectable } from 'kysely';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from '../campaigns/campaign-definition.ts';
import type { CampaignRuntimeTable } from '../schema/campaigns.ts';
import type { Executor } from '../transaction.ts';
import { effectiveWaitingFor, isReadOnly } from '../campaigns/blocked-campaigns.ts';
import { faultOfRules } from '../compliance/rule-versions.ts';

export interface WaitingView extends Pick<
  Selectable<CampaignRuntimeTable>,
  'provider' | 'lines_in_use' | 'abandonment' | 'failures' | 'blocked_since' | 'next_dial_at' | 'waiting_for'
> {
  now: Date;
  definition: CampaignDefinition;
  /** Why the operator's rules do not fit this release; null if they do. */
  rulesFault: string | null;
  /** The database accepts no writes. */
  is_read_only: boolean;
  organization_max_lines: number | null;
  organization_lines_in_use: number;
  provider_max_lines: number | null;
  provider_lines_in_use: number;
  provider_calls_per_second: number | null;
  closed_until: Date | null;
  /** Why the provider is closed, or the last error of the campaign at it. */
  provider_error: string | null;
}

/** Of the ids those that the organization has, in no order. */
export async function findWaitingViews(
  db: Executor,
  { organizationId, campaignIds }: { organizationId: string; campaignIds: readonly string[] },
): Promise<WaitingView[]> {
  if (campaignIds.length === 0) return [];
  const { rows } = await sql<CampaignDefinitionRow & Omit<WaitingView, 'definition' | 'rulesFault'>>`
    select ${definitionColumns}, engine_now() as now, ${isReadOnly} as is_read_only, rt.lines_in_use, rt.provider, rt.abandonment, rt.failures, rt.blocked_since,
      case when c.status = 'running' then rt.next_dial_at end as next_dial_at,
      case when c.status = 'running' then ${effectiveWaitingFor} end as waiting_for,
      o.max_lines as organization_max_lines, o.lines_in_use as organization_lines_in_use,
      p.max_lines as provider_max_lines, coalesce(p.lines_in_use, 0) as provider_lines_in_use, p.calls_per_second as provider_calls_per_second,
      p.closed_until,
      case when rt.waiting_for = 'provider' then coalesce(rt.last_error, p.closed_reason) else p.closed_reason end as provider_error
    from ${definitionTables}
    join campaign_runtime rt on rt.campaign_id = c.id
    join organizations o on o.id = c.organization_id
    left join providers p on p.name = rt.provider
    where c.organization_id = ${organizationId} and c.deleted_at is null and c.id = any(${campaignIds}::uuid[])`.execute(
    db,
  );
  const views: WaitingView[] = [];
  for (const row of rows) {
    const definition = await toDefinition(db, row);
    views.push({ ...row, definition, rulesFault: faultOfRules(row.rules_version) });
  }
  return views;
}

export interface LineHolder {
  campaign_id: string;
  name: string;
  lines: number;
}

/** The running campaigns of an organization that hold most lines; with `provider` those of that provider only. */
export async function findLineHolders(
  db: Executor,
  args: { organizationId: string; provider: string | null; limit: number },
): Promise<LineHolder[]> {
  const { rows } = await sql<LineHolder>`
    select c.id as campaign_id, c.name, rt.lines_in_use as lines from campaigns c join campaign_runtime rt on rt.campaign_id = c.id
    where c.organization_id = ${args.organizationId} and c.status = 'running' and rt.lines_in_use > 0
      and (${args.provider}::text is null or rt.provider = ${args.provider})
    order by rt.lines_in_use desc, c.id limit ${args.limit}`.execute(db);
  return rows;
}
