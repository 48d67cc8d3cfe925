import {
  ConflictError,
  decideCampaignMove,
  isFinalCampaignStatus,
  nextDial,
  NotFoundError,
  type CampaignStatus,
} from '@outdial/core';
import {
  findEarliestDueByZone,
  findProvider,
  lockCampaign,
  inTransaction,
  noteChange,
  replanRecipients,
  requestHangUps,
  viewStart,
  writeCampaignStatus,
  type CampaignDefinition,
  type StartView,
  type Tx,
  deleteCampaign as deleteIn,
  type CampaignKey,
  auditOrganization,
  checkAllCalls,
  listRunningCampaigns,
  type RunningCampaign,
} from '@outdial/db';
import { resolveProvider } from '../send/agent-telephony.ts';
import type { ControlDeps, Precondition } from '../deps.ts';
import { enqueueAdvance, enqueueChecks, enqueueWithdrawals } from '../enqueue.ts';
import { refusedMove } from './campaign-errors.ts';
import { lookUpGraceMs } from '../timing.ts';

export interface StatusDeps extends ControlDeps {
  /** The provider if neither the agent nor its organization names one. */
  installationProvider: string;
}

export type StatusArgs = {
  organizationId: string;
  campaignId: string;
  /** Also ends the calls in progress. Only for a status that ends the campaign. */
  hangUp?: boolean;
  precondition?: Precondition;
} & ({ status: 'running'; userId: string } | { status: Exclude<CampaignStatus, 'running'> });

/**
 * Sets the status of a campaign (docs/behaviour.md). After the commit, no gate passes that was decided under the earlier status. Returns false
 * if the campaign already had the status.
 * @throws NotFoundError · ConflictError `campaign_status` for an invalid transition, `campaign_over`, `agent_without_prompt`,
 *   `provider_unknown`
 */
export async function setCampaignStatus(deps: StatusDeps, args: StatusArgs): Promise<boolean> {
  const effect = await inTransaction(deps.db, (tx) => moveIn(tx, deps, args));
  if (effect.kind === 'same') {
    await enqueueChecks(deps, effect.hangUps);
    return false;
  }
  deps.log.info({ campaign_id: args.campaignId, status: args.status }, 'campaign status set');
  if (effect.kind === 'started' && effect.dialsNow) {
    await enqueueAdvance(deps, [args.campaignId], args.organizationId);
  }
  if (effect.kind === 'stopped') {
    await enqueueChecks(deps, effect.hangUps);
    if (isFinalCampaignStatus(args.status)) await enqueueWithdrawals(deps, [args.campaignId]);
  }
  return true;
}

type Effect =
  | { kind: 'same'; hangUps: string[] }
  | { kind: 'started'; dialsNow: boolean }
  | { kind: 'stopped'; hangUps: string[] };

async function moveIn(tx: Tx, deps: StatusDeps, args: StatusArgs): Promise<Effect> {
  const locked = await lockCampaign(tx, args);
  if (!locked) throw new NotFoundError('There is no such campaign.');
  await args.precondition?.(tx);
  const { definition, now, replan } = locked;
  const move = decideCampaignMove(definition.status, args.status);
  const hangUps = async () => (args.hangUp === true ? requestHangUps(tx, args, now) : []);
  if (move.kind === 'same') return { kind: 'same', hangUps: await hangUps() };
  if (move.kind === 'refused') {
    throw refusedMove(definition.status, args.status);
  }
  noteChange({
    type: 'campaign',
    id: args.campaignId,
    before: { status: definition.status },
    after: { status: args.status, ...(args.hangUp === true && { hang_up: true }) },
  });
  if (args.status === 'running') {
    return {
      kind: 'started',
      ...(await startIn(tx, deps, { definition, replan, userId: args.userId, now })),
    };
  }
  const callIds = await hangUps();
  await writeCampaignStatus(tx, { campaignId: args.campaignId, status: args.status, now });
  return { kind: 'stopped', hangUps: callIds };
}

/** Starts a campaign whose row is locked. If `dialsNow`, publish an advance after the commit. */
async function startIn(
  tx: Tx,
  deps: Pick<StatusDeps, 'installationProvider'>,
  args: { definition: CampaignDefinition; replan: boolean; userId: string; now: Date },
): Promise<{ dialsNow: boolean }> {
  const { definition, now } = args;
  const { id: campaignId, organizationId, agentId, schedule } = definition;
  const start = await viewStart(tx, { organizationId, agentId });
  requireStartable(start, schedule.endAt, now);
  const provider = resolveProvider(start, deps.installationProvider);
  const found = await findProvider(tx, provider);
  // Before the status changes, which ends the time in which the campaign stood still.
  if (args.replan) {
    await replanRecipients(tx, { ...definition, status: 'running' }, { kind: 'left' }, now);
  }
  const dueByCampaign = await findEarliestDueByZone(tx, [definition]);
  if ((await found.rows).length === 0) {
    throw new ConflictError('provider_unknown', `There is no provider named ${provider}.`);
  }
  const earliestDueByZone = dueByCampaign.get(definition.id) ?? [];
  const next = nextDial(schedule, earliestDueByZone, now);
  if (next.kind === 'never' && earliestDueByZone.length > 0) {
    throw new ConflictError(
      'never_open',
      next.waitingFor === 'calling_hours'
        ? 'The calling hours of its recipients never meet the window of the campaign.'
        : 'No window of the campaign opens before its end_date.',
    );
  }
  // With no recipient left to dial, the first advance finishes the campaign.
  const plan =
    next.kind === 'at'
      ? { wakeAt: next.at, nextDialAt: next.at, waitingFor: next.waitingFor }
      : { wakeAt: now, nextDialAt: null, waitingFor: null };
  const begin = { userId: args.userId, provider, plan };
  await writeCampaignStatus(tx, { campaignId, status: 'running', start: begin, now });
  return { dialsNow: plan.wakeAt <= now };
}

/** Also checked before the recipients of a new running campaign are inserted, to fail early. */
export function requireStartable(
  start: StartView | null,
  endAt: Date | null,
  now: Date,
): asserts start is StartView {
  if (endAt !== null && endAt <= now) {
    throw new ConflictError('campaign_over', 'The end_date of the campaign has passed.');
  }
  if (start?.has_prompt !== true) {
    throw new ConflictError('agent_without_prompt', 'The agent of the campaign has no prompt yet.');
  }
}

/** Starts a campaign in the transaction that created it. */
export async function startInTransaction(
  tx: Tx,
  deps: Pick<StatusDeps, 'installationProvider'>,
  args: CampaignKey & { userId: string },
): Promise<{ dialsNow: boolean }> {
  const locked = await lockCampaign(tx, args);
  if (!locked) throw new NotFoundError('There is no such campaign.');
  return startIn(tx, deps, { ...locked, userId: args.userId });
}

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

const pageSize = 100;
/** Later rounds retry failures, and find campaigns that were started meanwhile. */
const rounds = 3;

export interface HeldCampaigns {
  held: RunningCampaign[];
  failed: Array<RunningCampaign & { reason: string }>;
  /** Calls in progress that are looked up at once, since a backup may know calls that have long ended. */
  lookedUp: number;
}

/** Pauses the running campaigns of all organizations. Users may start them again. */
export async function holdCampaigns(deps: StatusDeps): Promise<HeldCampaigns> {
  const paused = new Map<string, RunningCampaign>();
  const failed = new Map<string, HeldCampaigns['failed'][number]>();
  for (let round = 0; round < rounds; round++) {
    failed.clear();
    for await (const campaign of runningCampaigns(deps)) {
      try {
        if (await pause(deps, campaign)) paused.set(campaign.campaignId, campaign);
      } catch (error) {
        failed.set(campaign.campaignId, { ...campaign, reason: String(error) });
      }
    }
  }
  const lookedUp = await checkAllCalls(deps.db, { graceMs: lookUpGraceMs });
  return { held: [...paused.values()], failed: [...failed.values()], lookedUp };
}

async function* runningCampaigns({ db }: StatusDeps): AsyncGenerator<RunningCampaign> {
  let after: RunningCampaign | undefined;
  do {
    const page = await listRunningCampaigns(db, { after, limit: pageSize });
    yield* page;
    after = page.at(-1);
  } while (after);
}

/** False if the campaign no longer runs. */
async function pause(deps: StatusDeps, { organizationId, campaignId }: RunningCampaign): Promise<boolean> {
  auditOrganization(organizationId);
  try {
    return await setCampaignStatus(deps, { organizationId, campaignId, status: 'paused' });
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    if (error instanceof ConflictError && error.code === 'campaign_status') return false;
    throw error;
  }
}
