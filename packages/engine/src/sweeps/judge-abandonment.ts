import { judgeAbandonment as judge, type Swept } from '@outdial/core';
import { readAbandonment, saveAbandonment } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** Slows campaigns down that leave too many answered calls without a voice, and lifts the slowing once they no longer do. */
export async function judgeAbandonment({ db, log }: Pick<ControlDeps, 'db' | 'log'>): Promise<Swept> {
  let done = 0;
  for (const { campaignId, before, ...counts } of await readAbandonment(db)) {
    const abandonment = judge(counts);
    if (abandonment?.share === before?.share && abandonment?.calls === before?.calls) continue;
    await saveAbandonment(db, { campaignId, abandonment });
    if ((abandonment === null) !== (before === null)) {
      log.warn({ campaign_id: campaignId, abandonment }, 'slowed a campaign down, or lifted the slowing');
    }
    done += 1;
  }
  return { done, isFull: false };
}
