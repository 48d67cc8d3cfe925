import type { Swept } from '@outdial/core';
import { engineNow, findCampaignsToKey, inTransaction, rekeyBatch, type CampaignKey } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';

const campaignsAtOnce = 20;
/** One transaction locks its campaign only for as long as this many rows take. */
const recipientsAtOnce = 5_000;
/** The limit for one campaign in one sweep, so that a million recipients of one do not delay the others. The next sweep continues. */
const sweepEndsAfterMs = 5_000;

/** The position in each campaign, kept in memory; another process starts over. */
const reached = new Map<string, string>();

/** Recomputes the calling keys of recipients, in batches, after their organization's policy changed. */
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

/** False if time ran out before the last one. */
async function rekeyCampaign(deps: ControlDeps, campaign: CampaignKey, untilMs: number): Promise<boolean> {
  const { campaignId } = campaign;
  do {
    const now = await engineNow(deps.db);
    const batch = await inTransaction(deps.db, (tx) =>
      rekeyBatch(tx, campaign, { after: reached.get(campaignId) ?? null, limit: recipientsAtOnce, now }),
    );
    if (batch.after === null) {
      reached.delete(campaignId);
      await enqueueAdvance(deps, [campaignId]);
      deps.log.info({ campaign_id: campaignId }, 'recomputed calling keys under the current policy');
      return true;
    }
    reached.set(campaignId, batch.after);
  } while (performance.now() < untilMs);
  return false;
}
