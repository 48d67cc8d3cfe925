import type { CampaignStatus, Outcome, WaitingReason } from '@outdial/core';
import { sql } from 'kysely';
import {
  eachCount,
  outcomeCounts,
  recipientStates,
  type CountRow,
  type PublicRecipientState,
} from '../campaign-counts/count-columns.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Executor } from '../transaction.ts';
import { effectiveWaitingFor } from './effective-waiting-for.ts';

export interface CampaignProgress {
  campaignId: string;
  status: CampaignStatus;
  /** The states add up to `total`, which counts every number that was ever on the list. */
  recipients: Record<PublicRecipientState, number> & { total: number };
  /** Recipients by outcome of their last attempt. */
  outcomes: Partial<Record<Outcome, number>>;
  /** Including retries. */
  dials: number;
  /** Calls in progress. */
  linesInUse: number;
  maxConcurrentCalls: number;
  /** Zero unless the campaign runs. */
  callsLastMinute: number;
  /** Null unless the campaign runs, as `waitingFor`. */
  nextDialAt: Date | null;
  waitingFor: WaitingReason | null;
  firstDialAt: Date | null;
  lastDialAt: Date | null;
  /** From the last forecast under the current settings; null without one, or unless the campaign runs. */
  estimatedEndAt: Date | null;
  asOf: Date;
}

/** Null if the organization has no such campaign. */
export async function findCampaignProgress(
  db: Executor,
  key: { organizationId: string; campaignId: string },
): Promise<CampaignProgress | null> {
  const [progress] = await findProgressOfCampaigns(db, {
    organizationId: key.organizationId,
    campaignIds: [key.campaignId],
  });
  return progress ?? null;
}

interface ProgressRow extends CountRow {
  id: string;
  status: CampaignStatus;
  estimated_end_at: Date | null;
  now: Date;
  lines_in_use: number;
  max_concurrent_calls: number;
  next_dial_at: Date | null;
  waiting_for: WaitingReason | null;
  first_dial_at: Date | null;
  last_dial_at: Date | null;
  calls_last_minute: number;
}

/** Omits unknown ids; unordered. The cost does not depend on the number of recipients. */
export async function findProgressOfCampaigns(
  db: Executor,
  { organizationId, campaignIds }: { organizationId: string; campaignIds: readonly string[] },
): Promise<CampaignProgress[]> {
  if (campaignIds.length === 0) return [];
  const { rows } = await sql<ProgressRow>`
    with clock as materialized (select engine_now() as now)
    select c.id, c.status, clock.now,
      case when e.ends_at > clock.now then e.ends_at end as estimated_end_at, rt.lines_in_use, rt.next_dial_at, ${effectiveWaitingFor} as waiting_for,
      (select f.max_concurrent_calls from campaign_configs f
       where f.organization_id = c.organization_id and f.campaign_id = c.id) as max_concurrent_calls,
      ${eachCount((column) => sql`coalesce(k.${sql.ref(column)}, 0) + coalesce(open.${sql.ref(column)}, 0)`)},
      least(k.first_dial_at, open.first_dial_at) as first_dial_at,
      greatest(k.last_dial_at, open.last_dial_at) as last_dial_at,
      case when c.status = 'running' then (
        select count(*)::int from calls where campaign_id = c.id and created_at > clock.now - interval '1 minute') else 0
      end as calls_last_minute
    from clock, campaigns c
    join campaign_runtime rt on rt.campaign_id = c.id
    left join providers p on p.name = rt.provider
    left join campaign_estimates e on e.campaign_id = c.id and e.revision = c.revision
    left join campaign_counts k on k.campaign_id = c.id
    left join lateral (
      select ${eachCount((column) => sql`sum(d.${sql.ref(column)})::int`)},
        min(dialed_at) as first_dial_at, max(dialed_at) as last_dial_at
      from campaign_count_changes d where d.campaign_id = c.id) open on true
    where c.organization_id = ${organizationId} and c.deleted_at is null and c.id = any(${campaignIds}::uuid[])`.execute(
    prepared(db),
  );
  return rows.map(toProgress);
}

function toProgress(row: ProgressRow): CampaignProgress {
  const isRunning = row.status === 'running';
  const total = recipientStates.reduce((sum, state) => sum + row[state], 0);
  const { waiting, retrying, in_call, reached, unreached, suppressed, withdrawn } = row;
  return {
    campaignId: row.id,
    status: row.status,
    recipients: { total, waiting, retrying, in_call, reached, unreached, suppressed, withdrawn },
    outcomes: outcomeCounts(row),
    dials: row.dials,
    linesInUse: row.lines_in_use,
    maxConcurrentCalls: row.max_concurrent_calls,
    callsLastMinute: row.calls_last_minute,
    nextDialAt: isRunning ? row.next_dial_at : null,
    waitingFor: isRunning ? row.waiting_for : null,
    firstDialAt: row.first_dial_at,
    lastDialAt: row.last_dial_at,
    estimatedEndAt: isRunning ? row.estimated_end_at : null,
    asOf: row.now,
  };
}

/** Counts the recipients that are finished. */
export function endedRecipients({ recipients }: CampaignProgress): number {
  return recipients.reached + recipients.unreached + recipients.suppressed + recipients.withdrawn;
}
