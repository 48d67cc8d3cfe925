import { ConflictError, isFinalCampaignStatus, NotFoundError } from '@outdial/core';
import { deleteCampaign as deleteIn, inTransaction, lockCampaign, type CampaignKey } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/**
 * Deletes a campaign that is a draft or over. The API no longer shows it; its calls stay.
 * @throws NotFoundError · ConflictError `campaign_not_over`
 */
export async function deleteCampaign(deps: ControlDeps, key: CampaignKey): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const locked = await lockCampaign(tx, key);
    if (!locked) throw new NotFoundError('Campaign not found');
    const { status } = locked.definition;
    if (status !== 'draft' && !isFinalCampaignStatus(status)) {
      throw new ConflictError(
        'campaign_not_over',
        `Only a draft, finished or canceled campaign can be deleted; this one is ${status}. Cancel it first`,
      );
    }
    await deleteIn(tx, key.campaignId, locked.now);
  });
  deps.log.info({ campaign_id: key.campaignId }, 'campaign deleted');
}
