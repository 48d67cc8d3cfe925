import { recipientStates } from '@outdial/core';
import type { CampaignStatus, Outcome, PublicRecipientState, WaitingReason } from '@outdial/core';
import { sql } from 'kysely';
import { eachCount, outcomeCounts, type CountRow } from '../campaign-counts/campaign-counts.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Executor } from '../transaction.ts';
import { effectiveWaitingFor } from './blocked-campaigns.ts';
import type { CampaignKey } from '../keys.ts';

export interface CampaignProgress {
  campaign_id: string;
  status: CampaignStatus;
  /** The states add up to `total`, which counts every number that was ever on the list. */
  recipients: Record<PublicRecipientState, number> & { total: number };
  /** Recipients by outcome of their last attempt. */
  outcomes: Partial<Record<Outcome, number>>;
  /** Including retries. */
  dials: number;
  lines_in_use: number;
  max_concurrent_calls: number;
  /** Zero unless the campaign runs. */
  calls_last_minute: number;
  /** Null unless the campaign runs, as `waiting_for`. */
  next_dial_at: Date | null;
  waiting_for: WaitingReason | null;
  first_dial_at: Date | null;
  last_dial_at: Date | null;
  /** From the last forecast under the current settings; null without one, or unless the campaign runs. */
  estimated_end_at: Date | null;
  as_of: Date;
}

export async function findCampaignProgress(db: Executor, key: CampaignKey): Promise<CampaignProgress | null> {
  const [progress] = await findProgressOfCampaigns(db, {
    organizationId: key.organizationId,
    campaignIds: [key.campaignId],
  });
  return progress ?? null;
}

type ProgressRow = CountRow & Omit<CampaignProgress, 'recipients' | 'outcomes'>;

/** Omits unknown ids; unordered. The cost does not depend on the number of recipients. */
export async function findProgressOfCampaigns(
  db: Executor,
  { organizationId, campaignIds }: { organizationId: string; campaignIds: readonly string[] },
): Promise<CampaignProgress[]> {
  if (campaignIds.length === 0) return [];
  const { rows } = await sql<ProgressRow>`
    with clock as materialized (select engine_now() as now)
    select c.id as campaign_id, c.status, clock.now as as_of, rt.lines_in_use,
      case when c.status = 'running' and e.ends_at > clock.now then e.ends_at end as estimated_end_at,
      case when c.status = 'running' then rt.next_dial_at end as next_dial_at,
      case when c.status = 'running' then ${effectiveWaitingFor} end as waiting_for,
      (select f.max_concurrent_calls from campaign_configs f
       where f.organization_id = c.organization_id and f.campaign_id = c.id) as max_concurrent_calls,
      ${eachCount((column) => sql`coalesce(k.${sql.ref(column)}, 0) + coalesce(open.${sql.ref(column)}, 0)`)},
      least(k.first_dial_at, open.first_dial_at) as first_dial_at,
      -- The counts keep the instants of dials that were undone; retention may have deleted the calls.
      coalesce((select gated_at from calls where campaign_id = c.id order by created_at desc, id desc limit 1),
        greatest(k.last_dial_at, open.last_dial_at)) as last_dial_at,
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
  return rows.map((row) => {
    const total = recipientStates.reduce((sum, state) => sum + row[state], 0);
    const { waiting, retrying, in_call, reached, unreached, suppressed, withdrawn } = row;
    const recipients = { total, waiting, retrying, in_call, reached, unreached, suppressed, withdrawn };
    const dialed = row.dials === 0 && { first_dial_at: null, last_dial_at: null };
    return { ...row, ...dialed, recipients, outcomes: outcomeCounts(row) };
  });
}

export function endedRecipients({ recipients }: CampaignProgress): number {
  return recipients.reached + recipients.unreached + recipients.suppressed + recipients.withdrawn;
}
