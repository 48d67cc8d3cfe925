import { ConflictError, isFinalCampaignStatus, NotFoundError, type Outcome } from '@outdial/core';
import {
  addRecipients as addIn,
  checkQueuedCallOf,
  findCampaignProgress,
  findOrganizationLimits,
  inTransaction,
  lockCampaign,
  reopenCampaign,
  replanRecipients,
  requestHangUps,
  retryRecipients as retryIn,
  wakeCampaign,
  withdrawRecipient as withdrawIn,
  writeCampaignStatus,
  type CampaignKey,
  type RecipientDetails,
  type Tx,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance, enqueueChecks } from '../enqueue.ts';
import { requireWithinLimits } from '../gate/quotas.ts';
import { requiresUnfinished } from './campaign-errors.ts';

const recipientsAtMost = 1_000_000;

export interface AddedRecipients {
  added: number;
  alreadyThere: number;
  /** Whether to publish an advance after the commit. */
  dialsNow: boolean;
}

/**
 * Adds recipients to a campaign that is not over, in the caller's transaction.
 * @throws NotFoundError · ConflictError `campaign_over`, `campaign_full`, `quota_exceeded`
 */
export async function addRecipientsInTransaction(
  tx: Tx,
  { recipients, ...key }: CampaignKey & { recipients: ReadonlyMap<string, RecipientDetails> },
): Promise<AddedRecipients> {
  const locked = await lockCampaign(tx, key);
  if (!locked) throw new NotFoundError('Campaign not found');
  const { definition, now } = locked;
  if (isFinalCampaignStatus(definition.status)) {
    throw requiresUnfinished(
      'campaign_over',
      `Recipients cannot be added to a ${definition.status} campaign`,
    );
  }
  const { schedule, callingKeys: zones } = definition;
  const { count: added, returnedIds } = await addIn(tx, {
    ...key,
    recipients,
    timezone: schedule.timezone,
    callingPolicy: definition.callingPolicy,
    callingKeys: zones,
    startAt: schedule.startAt,
    now,
  });
  if (added > 0) await requireRoom(tx, key);
  await replanRecipients(tx, definition, { kind: 'these', recipientIds: returnedIds }, now);
  const dialsNow = definition.status === 'running' && added > 0;
  if (dialsNow) await wakeCampaign(tx, key.campaignId, now);
  return { added, alreadyThere: recipients.size - added, dialsNow };
}

/**
 * Checks the limits of a campaign and its organization after recipients were added in this transaction: only then is it known how many are new.
 * @throws ConflictError `campaign_full`, `quota_exceeded`
 */
export async function requireRoom(tx: Tx, key: CampaignKey): Promise<void> {
  const progress = await findCampaignProgress(tx, key);
  if ((progress?.recipients.total ?? 0) > recipientsAtMost) {
    const msg = `A campaign can have at most ${recipientsAtMost} recipients, including those withdrawn from its list`;
    throw new ConflictError('campaign_full', msg);
  }
  const limits = await findOrganizationLimits(tx, key.organizationId);
  await requireWithinLimits(tx, key.organizationId, limits, { campaigns: 0, recipients: 0 });
}

/**
 * Withdraws one recipient. After the commit, its gates refuse. A call in progress continues unless `hangUp` is set. A call in a provider's queue is
 * not in progress yet: it is withdrawn.
 * @throws NotFoundError · ConflictError `recipient_done`
 */
export async function withdrawRecipient(
  deps: ControlDeps,
  { hangUp, ...args }: CampaignKey & { recipientId: string; hangUp: boolean },
): Promise<void> {
  const done = await inTransaction(deps.db, async (tx) => {
    const locked = await lockCampaign(tx, args);
    if (!locked) throw new NotFoundError('Campaign not found');
    const { now } = locked;
    const callIds = hangUp ? await requestHangUps(tx, args, now) : await checkQueuedCallOf(tx, args);
    const before = await withdrawIn(tx, { ...args, now });
    if (before === null) throw new NotFoundError('Recipient not found');
    if (before === 'done' || before === 'suppressed') {
      throw new ConflictError('recipient_done', 'The recipient is already finished and cannot be withdrawn');
    }
    const isRunning = locked.definition.status === 'running';
    // If no recipient is left, the advance finishes the campaign.
    if (isRunning) await wakeCampaign(tx, args.campaignId, now);
    return { callIds, isRunning };
  });
  deps.log.info({ campaign_id: args.campaignId, recipient_id: args.recipientId }, 'recipient withdrawn');
  await enqueueChecks(deps, done.callIds);
  if (done.isRunning) await enqueueAdvance(deps, [args.campaignId]);
}

export interface RetriedRecipients {
  retried: number;
  status: string;
  dialsNow: boolean;
}

/**
 * Gives recipients that were not reached another round, in the caller's transaction. A finished campaign becomes `paused`.
 * @throws NotFoundError · ConflictError `campaign_over` for a canceled campaign
 */
export async function retryRecipientsInTransaction(
  tx: Tx,
  { outcomes, ...key }: CampaignKey & { outcomes: readonly Outcome[] },
): Promise<RetriedRecipients> {
  const locked = await lockCampaign(tx, key);
  if (!locked) throw new NotFoundError('Campaign not found');
  const { definition, now } = locked;
  const { status } = definition;
  if (status === 'canceled') {
    throw new ConflictError(
      'campaign_over',
      'The recipients of a canceled campaign cannot be retried; those of any other can',
    );
  }
  const retried = await retryIn(tx, {
    ...key,
    outcomes,
    startAt: definition.schedule.startAt,
    endedAt: definition.endedAt,
    now,
  });
  if (retried === 0) return { retried, status, dialsNow: false };
  if (status === 'finished') {
    await writeCampaignStatus(tx, { campaignId: key.campaignId, status: 'paused', now });
    await reopenCampaign(tx, key.campaignId);
    return { retried, status: 'paused', dialsNow: false };
  }
  if (status === 'running') await wakeCampaign(tx, key.campaignId, now);
  return { retried, status, dialsNow: status === 'running' };
}
