import type { Swept } from '@outdial/core';
import { engineNow, findCampaignsToKey, inTransaction, rekeyBatch, type CampaignKey } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';

const campaignsAtOnce = 20;
/** Bounds how long one transaction locks its campaign. */
const recipientsAtOnce = 5_000;
/** Campaigns share this time, so that a long list does not delay the others. The next sweep continues. */
const sweepEndsAfterMs = 5_000;

/** The position in each campaign. After a restart, campaigns start over. */
const reached = new Map<string, string>();

/** Recomputes the calling keys of recipients after a change of the organization's policy. */
export async function rekeyRecipients(deps: ControlDeps): Promise<Swept> {
  const campaigns = await findCampaignsToKey(deps.db, campaignsAtOnce);
  const endsAtMs = performance.now() + sweepEndsAfterMs;
  let done = 0;
  let isBehind = campaigns.length === campaignsAtOnce;
  for (const campaign of campaigns) {
    const share = (endsAtMs - performance.now()) / (campaigns.length - done);
    const isWhole = await rekeyCampaign(deps, campaign, performance.now() + share);
    if (!isWhole) isBehind = true;
    done += 1;
  }
  return { done, isFull: isBehind };
}

/** False if time ran out first. */
async function rekeyCampaign(deps: ControlDeps, campaign: CampaignKey, untilMs: number): Promise<boolean> {
  const { campaignId } = campaign;
  do {
    const now = await engineNow(deps.db);
    const after = await inTransaction(deps.db, (tx) =>
      rekeyBatch(tx, campaign, { after: reached.get(campaignId) ?? null, limit: recipientsAtOnce, now }),
    );
    if (after === null) {
      reached.delete(campaignId);
      await enqueueAdvance(deps, [campaignId]);
      deps.log.info({ campaign_id: campaignId }, 'recomputed calling keys under the current policy');
      return true;
    }
    reached.set(campaignId, after);
  } while (performance.now() < untilMs);
  return false;
}
