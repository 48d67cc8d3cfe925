import { countGates, type Pace, type PacingLane } from '@outdial/core';
import { sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';

/** The lanes of a dial; null for a campaign or a provider without a pace. */
export interface PacedLanes {
  campaign: PacingLane | null;
  provider: PacingLane | null;
}

interface PacedRows {
  /** Null for a direct call. */
  campaignId: string | null;
  provider: string;
}

/** The lanes with a pace, for `paceAllowance`. */
export function lanesOf({ campaign, provider }: PacedLanes): PacingLane[] {
  return [campaign, provider].filter((lane) => lane !== null);
}

export function toLane(callsPerSecond: number | null, pace: Pace | null): PacingLane | null {
  return callsPerSecond === null ? null : { callsPerSecond, pace };
}

/** Locks the rows with a pace until the commit, the campaign's first, and reads them at `now`. The caller shares the lock of the providers' paces. */
export async function lockPace(
  tx: Tx,
  { campaignId, provider }: PacedRows,
): Promise<PacedLanes & { now: Date }> {
  await deferred(
    sql`select from campaign_runtime rt where campaign_id = ${campaignId} and exists (
      select from campaign_configs f
      where f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id and f.calls_per_second is not null)
      for no key update`,
    tx,
  );
  await deferred(
    sql`select from providers where name = ${provider} and calls_per_second is not null for no key update`,
    tx,
  );
  const { rows } = await sql<{
    now: Date;
    of_campaign: number | null;
    campaign_pace: Pace | null;
    of_provider: number | null;
    provider_pace: Pace | null;
  }>`
    select engine_now() as now, f.calls_per_second as of_campaign, rt.pace as campaign_pace,
      p.calls_per_second as of_provider, p.pace as provider_pace
    from providers p left join campaign_runtime rt on rt.campaign_id = ${campaignId}
    left join campaign_configs f on f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id
    where p.name = ${provider}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`no row for the provider ${provider}`);
  return {
    now: row.now,
    campaign: toLane(row.of_campaign, row.campaign_pace),
    provider: toLane(row.of_provider, row.provider_pace),
  };
}

/** Counts gates that passed at an instant, on the locked rows. */
export async function savePace(
  tx: Tx,
  { campaignId, provider }: PacedRows,
  lanes: PacedLanes,
  { at, count }: { at: Date; count: number },
): Promise<void> {
  if (count === 0) return;
  if (lanes.campaign !== null) {
    const pace = JSON.stringify(countGates(lanes.campaign, at, count));
    await deferred(
      sql`update campaign_runtime set pace = ${pace}::jsonb where campaign_id = ${campaignId}`,
      tx,
    );
  }
  if (lanes.provider !== null) {
    const pace = JSON.stringify(countGates(lanes.provider, at, count));
    await deferred(sql`update providers set pace = ${pace}::jsonb where name = ${provider}`, tx);
  }
}
