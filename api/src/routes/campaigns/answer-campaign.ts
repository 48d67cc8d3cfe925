import { campaignNumbers, findCampaign, inReadSnapshot, type Db } from '@outdial/db';
import type { Response } from 'express';
import type { sent } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { streamJson } from '../../http/stream-json.ts';
import { campaignJson, envelopeJson } from './campaign-json.ts';
import { campaignHead, campaignMeta } from './campaign-view.ts';

/** A caller who takes nothing for so long is cut off: the cursor behind the answer holds a connection. */
const stalledCallerMs = 30_000;

export function cutOffStalledCaller(res: Response): void {
  res.setTimeout(stalledCallerMs, () => res.destroy());
}

/** Answers one campaign with its numbers, both of one instant, as the caller reads. */
export async function answerCampaign(
  res: Response,
  db: Db,
  key: { organizationId: string; campaignId: string },
  message: string,
): Promise<typeof sent> {
  cutOffStalledCaller(res);
  return inReadSnapshot<typeof sent>(db, async (tx) => {
    const campaign = await findCampaign(tx, key);
    if (campaign === null) throw notFound('Campaign');
    const data = campaignJson({ head: campaignHead(campaign), numbers: campaignNumbers(tx, key) });
    return streamJson(res, envelopeJson(message, campaignMeta(campaign), data));
  });
}
