import { campaignProgress, type CampaignProgress, viewOf } from '@outdial/contracts';
import { type Executor, findProgressOfCampaigns } from '@outdial/db';
import { findWaiting } from '@outdial/engine';

const view = viewOf(campaignProgress);

/** The progress of campaigns by id. The cost does not depend on the length of their lists. */
export async function progressOf(
  db: Executor,
  args: { organizationId: string; campaignIds: readonly string[] },
): Promise<Map<string, CampaignProgress>> {
  const records = await findProgressOfCampaigns(db, args);
  const waiting = await findWaiting(db, args);
  return new Map(
    records.map((record) => {
      const { waitingFor = null, detail = null } = waiting.get(record.campaign_id) ?? {};
      return [record.campaign_id, view({ ...record, waiting_for: waitingFor, waiting_detail: detail })];
    }),
  );
}
