import { isFinalCampaignStatus, NotFoundError, type CampaignStatus } from '@outdial/core';
import {
  bumpRevision,
  findCampaignConfig,
  lockCampaign,
  loadCampaignDefinition,
  replanAtStart,
  replanRecipients,
  inTransaction,
  noteChange,
  wakeCampaign,
  writeCampaignConfig,
  type CampaignConfigChanges,
  type CampaignConfigRow,
  type Tx,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import { requiresUnfinished } from './campaign-errors.ts';
import type { Precondition } from './precondition.ts';

/**
 * Changes the named fields of a campaign's config. A running campaign uses the new config from its next gate on.
 * @throws NotFoundError · ConflictError `campaign_status` if the campaign has ended
 */
export async function setCampaignConfig(
  deps: ControlDeps,
  args: {
    organizationId: string;
    campaignId: string;
    changes: CampaignConfigChanges;
    precondition?: Precondition;
  },
): Promise<{ config: CampaignConfigRow; created: boolean }> {
  const { row, created, isRunning } = await inTransaction(deps.db, async (tx) => {
    const locked = await lockCampaign(tx, args);
    if (!locked) throw new NotFoundError('There is no such campaign.');
    await args.precondition?.(tx);
    const { status } = locked.definition;
    if (isFinalCampaignStatus(status)) {
      throw requiresUnfinished('campaign_status', `The config of a ${status} campaign cannot be changed`);
    }
    // Every campaign has a config with defaults, but callers see it as created by their first change.
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

/** Omits fields that never change, and fields that change every time. */
function loggable(row: CampaignConfigRow): Record<string, unknown> {
  const omitted = new Set(['id', 'organization_id', 'campaign_id', 'created_at', 'updated_at']);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !omitted.has(name)));
}

/** Whether the change may affect further attempts. */
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
 * Applies new rules to the remaining recipients: at once if the campaign runs, otherwise when it starts. Nobody is
 * dialed while the campaign's row is locked.
 */
async function replanIn(
  tx: Tx,
  args: { organizationId: string; campaignId: string; status: CampaignStatus; now: Date },
): Promise<void> {
  const { campaignId, now } = args;
  if (args.status !== 'running') return replanAtStart(tx, campaignId);
  const definition = await loadCampaignDefinition(tx, campaignId);
  if (definition) await replanRecipients(tx, definition, { kind: 'left' }, now);
}
