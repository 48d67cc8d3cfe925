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
  isReplanDue,
  lockCampaign,
  inTransaction,
  noteChange,
  providerExists,
  replanRecipients,
  requestHangUps,
  viewStart,
  writeCampaignStatus,
  type CampaignDefinition,
  type StartView,
  type Tx,
} from '@outdial/db';
import { resolveProvider } from '../send/agent-telephony.ts';
import type { ControlDeps, Precondition } from '../deps.ts';
import { enqueueAdvance, enqueueChecks, enqueueWithdrawals } from '../enqueue.ts';
import { refusedMove } from './campaign-errors.ts';

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
  if (effect.kind === 'started' && effect.dialsNow) await enqueueAdvance(deps, [args.campaignId]);
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
  const { definition, now } = locked;
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
    return { kind: 'started', ...(await startIn(tx, deps, { definition, userId: args.userId, now })) };
  }
  const callIds = await hangUps();
  await writeCampaignStatus(tx, { campaignId: args.campaignId, status: args.status, now });
  return { kind: 'stopped', hangUps: callIds };
}

/** Starts a campaign whose row is locked. If `dialsNow`, publish an advance after the commit. */
async function startIn(
  tx: Tx,
  deps: Pick<StatusDeps, 'installationProvider'>,
  args: { definition: CampaignDefinition; userId: string; now: Date },
): Promise<{ dialsNow: boolean }> {
  const { definition, now } = args;
  const { id: campaignId, organizationId, agentId, schedule } = definition;
  const start = await viewStart(tx, { organizationId, agentId });
  requireStartable(start, schedule.endAt, now);
  const provider = resolveProvider(start, deps.installationProvider);
  if (!(await providerExists(tx, provider))) {
    throw new ConflictError('provider_unknown', `There is no provider named ${provider}.`);
  }
  // Before the status changes, which ends the time in which the campaign stood still.
  if (await isReplanDue(tx, campaignId)) {
    await replanRecipients(tx, { ...definition, status: 'running' }, { kind: 'left' }, now);
  }
  const found = await findEarliestDueByZone(tx, [definition]);
  const earliestDueByZone = found.get(definition.id) ?? [];
  const next = nextDial(schedule, earliestDueByZone, now);
  if (next.kind === 'never' && earliestDueByZone.length > 0) {
    throw new ConflictError('never_open', 'No window of the campaign opens before its end_date.');
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
  if (start?.hasPrompt !== true) {
    throw new ConflictError('agent_without_prompt', 'The agent of the campaign has no prompt yet.');
  }
}

/** Starts a campaign in the transaction that created it. */
export async function startInTransaction(
  tx: Tx,
  deps: Pick<StatusDeps, 'installationProvider'>,
  args: { organizationId: string; campaignId: string; userId: string },
): Promise<{ dialsNow: boolean }> {
  const locked = await lockCampaign(tx, args);
  if (!locked) throw new NotFoundError('There is no such campaign.');
  return startIn(tx, deps, { ...locked, userId: args.userId });
}
