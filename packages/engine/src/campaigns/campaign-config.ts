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
    // Every campaign has a config; the first change makes it the caller's.
    const created = !held.definition.hasOwnConfig;
    const before = await findCampaignConfig(tx, args);
    const written = await writeCampaignConfig(tx, { ...args, now: held.now });
    noteChange({
      type: 'campaign',
      id: args.campaignId,
      before: before === null ? {} : loggable(before),
      after: loggable(written),
    });
    await bumpRevision(tx, args.campaignId, held.now);
    if (namesRules(args.changes)) await replanIn(tx, { ...args, status, now: held.now });
    if (written.calls_per_second !== held.definition.callsPerSecond) await changePaceIn(tx, args, held.now);
    if (status === 'running') await wakeCampaign(tx, args.campaignId, held.now);
    return {
      row: written,
      created,
      isRunning: status === 'running',
    };
  });
  if (isRunning) await enqueueAdvance(deps, [args.campaignId]);
  return { config: row, created };
}

/** Without what every change changes, and what none does. */
function loggable(row: CampaignConfigRow): Record<string, unknown> {
  const unsaid = new Set(['id', 'organization_id', 'campaign_id', 'created_at', 'updated_at']);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !unsaid.has(name)));
}

/** Whether it may change who gets a further attempt, or when. */
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
 * The rules apply to the recipients that are left when they come into force: at once if the campaign runs, else when it does. What is claimed has
 * not been dialed while the campaign's row is held: it is judged with the rest, and claimed again.
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

/** What is claimed has slots of the earlier pace, or none: it is claimed again under the new one. */
async function changePaceIn(
  tx: Tx,
  args: { organizationId: string; campaignId: string },
  now: Date,
): Promise<void> {
  await returnClaims(tx, await findCampaignClaims(tx, args.campaignId, now), now);
  await voidCampaignSlots(tx, args.campaignId);
}
