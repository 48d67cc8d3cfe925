import { ConflictError, isFinalCampaignStatus, NotFoundError, type CampaignStatus } from '@outdial/core';
import {
  bumpRevision,
  findCampaignClaims,
  findCampaignConfig,
  lockCampaign,
  loadCampaignDefinition,
  replanAtStart,
  replanRecipients,
  inTransaction,
  noteChange,
  returnClaims,
  voidCampaignSlots,
  wakeCampaign,
  writeCampaignConfig,
  type CampaignConfigChanges,
  type CampaignConfigRow,
  type Tx,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';

/**
 * Changes the named fields of a campaign's config, or creates it with defaults for the rest. From the next gate on, a running
 * campaign is dialed under the new config.
 * @throws NotFoundError · ConflictError `campaign_status` if the campaign has ended.
 */
export async function setCampaignConfig(
  deps: ControlDeps,
  args: { organizationId: string; campaignId: string; changes: CampaignConfigChanges },
): Promise<{ config: CampaignConfigRow; created: boolean }> {
  const { row, created, isRunning } = await inTransaction(deps.db, async (tx) => {
    const locked = await lockCampaign(tx, args);
    if (!locked) throw new NotFoundError('There is no such campaign.');
    const { status } = locked.definition;
    if (isFinalCampaignStatus(status)) {
      throw new ConflictError('campaign_status', `The config of a ${status} campaign cannot be changed.`);
    }
    // Every campaign has a config; the first change marks it as the caller's.
    const created = !locked.definition.hasOwnConfig;
    const before = await findCampaignConfig(tx, args);
    const written = await writeCampaignConfig(tx, { ...args, now: locked.now });
    noteChange({
      type: 'campaign',
      id: args.campaignId,
      before: before === null ? {} : loggable(before),
      after: loggable(written),
    });
    await bumpRevision(tx, args.campaignId, locked.now);
    if (namesRules(args.changes)) await replanIn(tx, { ...args, status, now: locked.now });
    const isOtherPace = written.calls_per_second !== locked.definition.callsPerSecond;
    if (isOtherPace) await changePaceIn(tx, args, locked.now);
    if (status === 'running') await wakeCampaign(tx, args.campaignId, locked.now);
    return {
      row: written,
      created,
      isRunning: status === 'running',
    };
  });
  if (isRunning) await enqueueAdvance(deps, [args.campaignId]);
  return { config: row, created };
}

/** Omits the fields that every change modifies, and those that none does. */
function loggable(row: CampaignConfigRow): Record<string, unknown> {
  const unsaid = new Set(['id', 'organization_id', 'campaign_id', 'created_at', 'updated_at']);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !unsaid.has(name)));
}

/** Whether the change may affect who gets a further attempt, or when. */
function namesRules(changes: CampaignConfigChanges): boolean {
  return [
    changes.callBackAttempts,
    changes.queueAgain,
    changes.retryOn,
    changes.maxAttemptsPerRecipient,
    changes.retryDelaySeconds,
    changes.retryDelaysSeconds,
    changes.callOnWeekend,
  ].some((named) => named !== undefined);
}

/**
 * Applies the rules to the remaining recipients when they come into force: at once if the campaign runs, otherwise when it is set running.
 * Claimed recipients have not been dialed while the campaign's row is locked, so they are planned with the rest, and claimed again.
 */
async function replanIn(
  tx: Tx,
  args: { organizationId: string; campaignId: string; status: CampaignStatus; now: Date },
): Promise<void> {
  const { campaignId, now } = args;
  if (args.status !== 'running') return replanAtStart(tx, campaignId);
  await returnClaims(tx, await findCampaignClaims(tx, campaignId, now), now);
  const definition = await loadCampaignDefinition(tx, campaignId);
  if (definition) await replanRecipients(tx, definition, { kind: 'left' }, now);
}

/** Existing claims have slots of the earlier pace, or none. They are released and claimed again under the new pace. */
async function changePaceIn(
  tx: Tx,
  args: { organizationId: string; campaignId: string },
  now: Date,
): Promise<void> {
  await returnClaims(tx, await findCampaignClaims(tx, args.campaignId, now), now);
  await voidCampaignSlots(tx, args.campaignId);
}
