import { judgeAbandonment as judge, type Swept } from '@outdial/core';
import { readAbandonment, saveAbandonment } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** Slows campaigns with too many abandoned calls, and restores their speed later. */
export async function judgeAbandonment({ db, log }: Pick<ControlDeps, 'db' | 'log'>): Promise<Swept> {
  let done = 0;
  for (const { campaignId, before, ...counts } of await readAbandonment(db)) {
    const abandonment = judge(counts);
    if (abandonment?.share === before?.share && abandonment?.calls === before?.calls) continue;
    await saveAbandonment(db, { campaignId, abandonment });
    if ((abandonment === null) !== (before === null)) {
      log.warn(
        { campaign_id: campaignId, abandonment },
        abandonment === null ? 'restored the speed of a campaign' : 'slowed a campaign down',
      );
    }
    done += 1;
  }
  return { done, isFull: false };
}
