import type { Swept } from '@outdial/core';
import { inTransaction, proveCampaignCounts as proveIn, reconcileLines } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** Corrects line counters that disagree with the rows. Any correction indicates a bug. */
export async function reconcileLineCounters(deps: ControlDeps): Promise<Swept> {
  const repaired = await inTransaction(deps.db, (tx) => reconcileLines(tx));
  if (repaired > 0) deps.log.error({ repaired }, 'corrected line counters that disagreed with the rows');
  return { done: repaired, isFull: false };
}

/** Counting a million recipients takes about a second, so running campaigns are counted rarely. */
const againAfterSeconds = 300;

/** Compares the counts of one campaign with its recipients. A repair indicates a bug. */
export async function proveCampaignCounts(deps: ControlDeps): Promise<Swept> {
  const { campaignId, repaired } = await proveIn(deps.db, { afterSeconds: againAfterSeconds });
  if (repaired) {
    deps.log.error(
      { campaign_id: campaignId },
      'corrected the counts of a campaign that disagreed with its recipients',
    );
  }
  return { done: repaired ? 1 : 0, isFull: campaignId !== null };
}
