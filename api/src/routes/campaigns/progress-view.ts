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
    records.map((record) => [record.campaignId, progressView(record, waiting.get(record.campaignId))]),
  );
}

function progressView(record: ProgressRecord, waiting: CampaignWaiting | undefined): CampaignProgress {
  return {
    status: record.status,
    recipients: record.recipients,
    outcomes: record.outcomes,
    dials: record.dials,
    lines_in_use: record.linesInUse,
    max_concurrent_calls: record.maxConcurrentCalls,
    calls_last_minute: record.callsLastMinute,
    next_dial_at: record.nextDialAt?.toISOString() ?? null,
    waiting_for: waiting?.waitingFor ?? null,
    waiting_detail: waiting?.detail ?? null,
    first_dial_at: record.firstDialAt?.toISOString() ?? null,
    last_dial_at: record.lastDialAt?.toISOString() ?? null,
    estimated_end_at: record.estimatedEndAt?.toISOString() ?? null,
    as_of: record.asOf.toISOString(),
  };
}
