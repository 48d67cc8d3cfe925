import type { Abandonment, WaitingReason } from '@outdial/core';
import { sql } from 'kysely';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from '../campaigns/campaign-definition.ts';
import type { Executor } from '../transaction.ts';
import { effectiveWaitingFor, isReadOnly } from '../campaigns/effective-waiting-for.ts';
import { faultOfRules } from '../compliance/rule-versions.ts';

/** The facts that explain why a campaign does not dial at this moment. */
export interface WaitingView {
  now: Date;
  definition: CampaignDefinition;
  /** Null while it dials, and unless it runs. */
  waitingFor: WaitingReason | null;
  /** Why the operator's rules do not fit this release; null if they do. */
  rulesFault: string | null;
  nextDialAt: Date | null;
  linesInUse: number;
  /** Too many people who answered were left without a voice. */
  abandonment: Abandonment | null;
  /** Jobs of the campaign that failed in a row. */
  failures: number;
  /** The database accepts no writes. */
  isReadOnly: boolean;
  /** Since when it dials nothing for a cause that does not go away with time. */
  blockedSince: Date | null;
  organization: { maxLines: number | null; linesInUse: number };
  provider: {
    name: string;
    maxLines: number | null;
    linesInUse: number;
    callsPerSecond: number | null;
    closedUntil: Date | null;
    lastError: string | null;
  };
}

interface WaitingRow extends CampaignDefinitionRow {
  now: Date;
  waiting_for: WaitingReason | null;
  next_dial_at: Date | null;
  lines_in_use: number;
  abandonment: Abandonment | null;
  failures: number;
  is_read_only: boolean;
  blocked_since: Date | null;
  org_max: number | null;
  org_in_use: number;
  provider: string;
  provider_max: number | null;
  provider_in_use: number | null;
  provider_calls_per_second: number | null;
  closed_until: Date | null;
  closed_reason: string | null;
}

/** Of the ids those that the organization has, in no order. */
export async function findWaitingViews(
  db: Executor,
  { organizationId, campaignIds }: { organizationId: string; campaignIds: readonly string[] },
): Promise<WaitingView[]> {
  if (campaignIds.length === 0) return [];
  const { rows } = await sql<WaitingRow>`
    select ${definitionColumns}, engine_now() as now, ${isReadOnly} as is_read_only, rt.lines_in_use, rt.provider, rt.abandonment, rt.failures, rt.blocked_since,
      case when c.status = 'running' then rt.next_dial_at end as next_dial_at,
      case when c.status = 'running' then ${effectiveWaitingFor} end as waiting_for,
      o.max_lines as org_max, o.lines_in_use as org_in_use, p.max_lines as provider_max, p.lines_in_use as provider_in_use,
      p.calls_per_second as provider_calls_per_second, 
      p.closed_until, case when rt.waiting_for = 'provider' then coalesce(rt.last_error, p.closed_reason) else p.closed_reason end as closed_reason
    from ${definitionTables}
    join campaign_runtime rt on rt.campaign_id = c.id
    join organizations o on o.id = c.organization_id
    left join providers p on p.name = rt.provider
    where c.organization_id = ${organizationId} and c.deleted_at is null and c.id = any(${campaignIds}::uuid[])`.execute(
    db,
  );
  const views: WaitingView[] = [];
  for (const row of rows) {
    views.push({
      now: row.now,
      definition: await toDefinition(db, row),
      waitingFor: row.waiting_for,
      rulesFault: faultOfRules(row.rules_version),
      nextDialAt: row.next_dial_at,
      linesInUse: row.lines_in_use,
      abandonment: row.abandonment,
      failures: row.failures,
      isReadOnly: row.is_read_only,
      blockedSince: row.blocked_since,
      organization: { maxLines: row.org_max, linesInUse: row.org_in_use },
      provider: {
        name: row.provider,
        maxLines: row.provider_max,
        linesInUse: row.provider_in_use ?? 0,
        callsPerSecond: row.provider_calls_per_second,
        closedUntil: row.closed_until,
        lastError: row.closed_reason,
      },
    });
  }
  return views;
}

/** A running campaign that holds lines. */
export interface LineHolder {
  campaignId: string;
  name: string;
  lines: number;
}

/** The running campaigns of an organization that hold most lines; with `provider` those of that provider only. */
export async function findLineHolders(
  db: Executor,
  args: { organizationId: string; provider: string | null; limit: number },
): Promise<LineHolder[]> {
  const { rows } = await sql<{ id: string; name: string; lines_in_use: number }>`
    select c.id, c.name, rt.lines_in_use from campaigns c join campaign_runtime rt on rt.campaign_id = c.id
    where c.organization_id = ${args.organizationId} and c.status = 'running' and rt.lines_in_use > 0
      and (${args.provider}::text is null or rt.provider = ${args.provider})
    order by rt.lines_in_use desc, c.id limit ${args.limit}`.execute(db);
  return rows.map((row) => ({ campaignId: row.id, name: row.name, lines: row.lines_in_use }));
}
