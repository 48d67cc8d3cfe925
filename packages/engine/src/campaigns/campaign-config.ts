import { ConflictError, isFinalCampaignStatus, NotFoundError } from '@outdial/core';
import {
  bumpRevision,
  findCampaignClaims,
  lockCampaign,
  inTransaction,
  returnClaims,
  settleRecipients,
  wakeCampaign,
  writeCampaignConfig,
  type CampaignConfigChanges,
  type CampaignConfigRow,
  type Tx,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';

/**
 * Changes what is named of a campaign's config, or makes it with the defaults for the rest. A running campaign is dialed by it
 * from the next gate on.
 * @throws NotFoundError · ConflictError `campaign_status` where the campaign has ended.
 */
export async function setCampaignConfig(
  deps: ControlDeps,
  args: { organizationId: string; campaignId: string; changes: CampaignConfigChanges },
): Promise<{ config: CampaignConfigRow; created: boolean }> {
  const { row, created, isRunning } = await inTransaction(deps.db, async (tx) => {
    const held = await lockCampaign(tx, args);
    if (!held) throw new NotFoundError('There is no such campaign.');
    const { status } = held.definition;
    if (isFinalCampaignStatus(status)) {
      throw new ConflictError('campaign_status', `The config of a ${status} campaign cannot be changed.`);
    }
    const written = await writeCampaignConfig(tx, { ...args, now: held.now });
    await bumpRevision(tx, args.campaignId, held.now);
    if (namesRetries(args.changes)) await settleIn(tx, args, held.now);
    if (status === 'running') await wakeCampaign(tx, args.campaignId, held.now);
    return {
      row: written,
      created: written.created_at.getTime() === written.updated_at.getTime(),
      isRunning: status === 'running',
    };
  });
  if (isRunning) await enqueueAdvance(deps, [args.campaignId]);
  return { config: row, created };
}

/** Whether it may take further attempts away from recipients that wait for one. */
function namesRetries(changes: CampaignConfigChanges): boolean {
  const { callBackAttempts, queueAgain, retryOn, maxAttemptsPerRecipient } = changes;
  return [callBackAttempts, queueAgain, retryOn, maxAttemptsPerRecipient].some(
    (named) => named !== undefined,
  );
}

/** What is claimed has not been dialed while the campaign's row is held: it is judged with the rest, and claimed again. */
async function settleIn(
  tx: Tx,
  args: { organizationId: string; campaignId: string },
  now: Date,
): Promise<void> {
  await returnClaims(tx, await findCampaignClaims(tx, args.campaignId, now), now);
  await settleRecipients(tx, { ...args, now });
}
