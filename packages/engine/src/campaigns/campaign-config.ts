import type { CampaignConfigBody } from '@outdial/contracts';
import { isFinalCampaignStatus, NotFoundError, type CampaignStatus } from '@outdial/core';
import {
  type CampaignKey,
  bumpRevision,
  endDeferrals,
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
import type { ControlDeps, Precondition } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import { requiresUnfinished } from './campaign-errors.ts';

/**
 * Changes the named fields of a campaign's config. Null removes a limit; for other fields it changes nothing. A running campaign uses the new config from its next gate on.
 * @throws NotFoundError · ConflictError `campaign_status` if the campaign has ended
 */
export async function setCampaignConfig(
  deps: ControlDeps,
  args: CampaignKey & { body: CampaignConfigBody; precondition?: Precondition },
): Promise<{ config: CampaignConfigRow; created: boolean }> {
  const changes = changesOf(args.body);
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
    const written = await writeCampaignConfig(tx, { ...args, changes, now: locked.now });
    noteChange({
      type: 'campaign',
      id: args.campaignId,
      before: before === null ? {} : loggable(before),
      after: loggable(written),
    });
    await bumpRevision(tx, args.campaignId, locked.now);
    if (rules.some((field) => changes[field] !== undefined)) {
      await replanIn(tx, { ...args, status, now: locked.now });
    }
    if (changes.purpose !== undefined || changes.reassigned_query_days !== undefined) {
      await endDeferrals(tx, args);
    }
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

/** The fields of the body have the names of the columns. */
function changesOf(body: CampaignConfigBody): CampaignConfigChanges {
  const { campaign_id: _, ...fields } = body;
  return {
    ...fields,
    call_on_weekend: body.call_on_weekend ?? undefined,
    queue_again: body.queue_again ?? undefined,
    call_back_attempts: body.call_back_attempts ?? undefined,
    retry_delay_seconds: body.retry_delay_seconds ?? undefined,
    retry_on: body.retry_on ?? undefined,
    max_concurrent_calls: body.max_concurrent_calls ?? undefined,
    priority: body.priority ?? undefined,
    require_consent: body.require_consent ?? undefined,
  };
}

/** Omits fields that never change, and fields that change every time. */
function loggable(row: CampaignConfigRow): Record<string, unknown> {
  const omitted = new Set(['id', 'organization_id', 'campaign_id', 'created_at', 'updated_at']);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !omitted.has(name)));
}

/** The fields that may affect further attempts. */
const rules = [
  'call_back_attempts',
  'queue_again',
  'retry_on',
  'max_attempts_per_recipient',
  'retry_delay_seconds',
  'retry_delays_seconds',
  'call_on_weekend',
] as const satisfies ReadonlyArray<keyof CampaignConfigChanges>;

/** Applies new rules to the remaining recipients: at once if the campaign runs, otherwise when it starts. Dials wait while the campaign's row is locked. */
async function replanIn(tx: Tx, args: CampaignKey & { status: CampaignStatus; now: Date }): Promise<void> {
  const { campaignId, now } = args;
  if (args.status !== 'running') return replanAtStart(tx, campaignId);
  const definition = await loadCampaignDefinition(tx, campaignId);
  if (definition) await replanRecipients(tx, definition, { kind: 'left' }, now);
}
