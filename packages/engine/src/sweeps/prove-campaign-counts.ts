import { proveCampaignCounts as proveIn } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** A campaign of a million recipients takes about a second to count, so a running one is not counted all the time. */
const againAfterSeconds = 300;

/** Compares the counts of one campaign with its recipients. A repair is a fault worth a look; `more` says whether others are due. */
export async function proveCampaignCounts(deps: ControlDeps): Promise<{ repaired: number; more: boolean }> {
  const { campaignId, repaired } = await proveIn(deps.db, { afterSeconds: againAfterSeconds });
  if (repaired) {
    deps.log.error(
      { campaign_id: campaignId },
      'the counts of a campaign disagreed with its recipients and were put right',
    );
  }
  return { repaired: repaired ? 1 : 0, more: campaignId !== null };
}
