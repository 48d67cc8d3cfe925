import type { CampaignProgress } from '@outdial/contracts';
import { type CampaignProgress as ProgressRecord, type Executor, findProgressOfCampaigns } from '@outdial/db';
import { findWaiting, type CampaignWaiting } from '@outdial/engine';

/** The progress of campaigns by id. The cost does not depend on the length of their lists. */
export async function progressOf(
  db: Executor,
  args: { organizationId: string; campaignIds: readonly string[] },
): Promise<Map<string, CampaignProgress>> {
  const records = await findProgressOfCampaigns(db, args);
  const waiting = await findWaiting(db, args);
  return new Map(
    records.map((record) => [record.campaign_id, progressView(record, waiting.get(record.campaign_id))]),
  );
}

function progressView(record: ProgressRecord, waiting: CampaignWaiting | undefined): CampaignProgress {
  const { campaign_id: _, ...progress } = record;
  return {
    ...progress,
    next_dial_at: record.next_dial_at?.toISOString() ?? null,
    waiting_for: waiting?.waitingFor ?? null,
    waiting_detail: waiting?.detail ?? null,
    first_dial_at: record.first_dial_at?.toISOString() ?? null,
    last_dial_at: record.last_dial_at?.toISOString() ?? null,
    estimated_end_at: record.estimated_end_at?.toISOString() ?? null,
    as_of: record.as_of.toISOString(),
  };
}
