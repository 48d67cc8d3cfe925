import { dialingWindow, lineAllowance, nextDial, type ZoneDue } from '@outdial/core';
import {
  claimDueRecipients,
  findHeirs,
  findZoneDues,
  finishCampaign,
  holdCapacity,
  inTransaction,
  keepNextSlots,
  keepPlan,
  openAdvance,
  takeSharedLines,
  type AdvanceView,
  type CampaignPlan,
  type Capacity,
  type Claim,
  type LineHeirs,
  type Tx,
} from '@outdial/db';
import { isBroken } from '../calls/circuit-breaker.ts';
import type { ControlDeps, DialingSettings } from '../deps.ts';
import { hintAdvance, hintClaims, hintHeirs, hintWithdraw } from '../hints.ts';
import type { LocalTimers } from '../local-timers.ts';
import { allotPaces, type PaceAllotment } from './pace.ts';

/** One transaction claims no more than this, so that its locks are short. */
const claimsAtOnce = 500;
/** Enough for the largest number of lines; an advance ends before its job's deadline. */
const roundsAtMost = 20;
const heldElsewhereRetryMs = 100;
/** When to look again after a probe of a broken provider, if nobody has said before that it is back. */
const probeRetryMs = 1_000;

export interface Advanced {
  claimed: number;
  finished: boolean;
}

export type AdvanceDeps = ControlDeps & {
  timers: LocalTimers;
  settings: Pick<DialingSettings, 'leaseSeconds'>;
};

/**
 * Moves a campaign on: claims the recipients that are due, as many as lines and pacing allow, publishes their calls, and says
 * when it is to be looked at again. It alone finishes a campaign by itself. Safe to run at any time and any number of times.
 */
export async function advanceCampaign(deps: AdvanceDeps, campaignId: string): Promise<Advanced> {
  let claimed = 0;
  for (let round = 0; round < roundsAtMost; round++) {
    const step = await inTransaction(deps.db, (tx) => stepIn(tx, deps, campaignId));
    if (step.kind === 'idle') break;
    if (step.kind === 'finish') return { claimed, finished: await finish(deps, campaignId) };
    claimed += step.claims.length;
    await hintClaims(deps, { campaignId, organizationId: step.organizationId }, step.claims);
    await hintHeirs(deps, step.heirs);
    // The scheduler would see a wake-up that is this near too late.
    const { wakeInMs } = step;
    if (wakeInMs !== null && wakeInMs > 0) {
      deps.timers.set(`advance ${campaignId}`, wakeInMs, () => hintAdvance(deps, [campaignId]));
    }
    if (!step.more) break;
  }
  return { claimed, finished: false };
}

type Step =
  | { kind: 'idle' }
  | { kind: 'finish' }
  | {
      kind: 'moved';
      organizationId: string;
      claims: Claim[];
      heirs: LineHeirs;
      /** Run again at once: there is more to claim. */
      more: boolean;
      wakeInMs: number | null;
    };

const nobody: LineHeirs = { campaignIds: [], queuedCallIds: [] };

/** Writes the plan, and makes a step of it. */
async function moved(
  tx: Tx,
  view: AdvanceView,
  plan: CampaignPlan,
  done: { claims?: Claim[]; heirs?: LineHeirs; more?: boolean } = {},
): Promise<Step> {
  const wakeAt = plan.wakeAt === null ? null : earlier(plan.wakeAt, view.definition.schedule.endAt);
  const { organizationId } = view.definition;
  const claims = done.claims ?? [];
  if (claims.length > 0)
    await takeSharedLines(tx, { organizationId, provider: view.provider, count: claims.length });
  await keepPlan(tx, view.definition.id, { ...plan, wakeAt: wakeAt ?? view.definition.schedule.endAt });
  return {
    kind: 'moved',
    organizationId,
    claims,
    heirs: done.heirs ?? nobody,
    more: done.more ?? false,
    wakeInMs: wakeAt === null ? null : wakeAt.getTime() - view.now.getTime(),
  };
}

async function stepIn(tx: Tx, deps: AdvanceDeps, campaignId: string): Promise<Step> {
  const view = await openAdvance(tx, campaignId);
  if (!view || view.definition.status !== 'running') return { kind: 'idle' };
  const { now, dues } = view;
  const { schedule } = view.definition;
  if (schedule.endAt !== null && now >= schedule.endAt) return { kind: 'finish' };
  if (dues.length === 0 && view.linesInUse === 0) return { kind: 'finish' };
  const next = nextDial(schedule, dues, now);
  if (next.kind === 'at' && next.at <= now) return claimIn(tx, deps, view);
  const heirs = await passOn(tx, view);
  if (next.kind === 'at') {
    const plan = { wakeAt: next.at, nextDialAt: next.at, waitingFor: next.waitingFor };
    return moved(tx, view, plan, { heirs });
  }
  const waitingFor = dues.length > 0 ? 'window' : 'calls_in_progress';
  return moved(tx, view, { wakeAt: null, nextDialAt: null, waitingFor }, { heirs });
}

async function claimIn(tx: Tx, deps: AdvanceDeps, view: AdvanceView): Promise<Step> {
  const { now, definition } = view;
  const capacity = await capacityFor(tx, view);
  const { closedUntil } = capacity.provider;
  if (closedUntil !== null && closedUntil > now) {
    const heirs = await passOn(tx, view, capacity);
    return moved(
      tx,
      view,
      { wakeAt: closedUntil, nextDialAt: closedUntil, waitingFor: 'provider' },
      { heirs },
    );
  }
  // After failures one call at a time finds out whether the provider is back.
  const probes = isBroken(capacity.provider);
  const allowance = lineAllowance({
    want: probes ? 1 : claimsAtOnce,
    campaign: { inUse: view.linesInUse, max: definition.maxConcurrentCalls },
    organization: capacity.organization,
    provider: capacity.provider,
  });
  const pace = allowance.take === 0 ? null : allotPace(view, capacity, allowance.take);
  const limit = pace === null ? allowance.take : pace.slots.length;
  const { claims, dues } = await claim(tx, deps, view, { limit, slots: pace === null ? null : pace.slots });
  if (pace !== null && claims.length > 0) {
    // Slots that nobody needed are not lost: the next ones begin after the last that was.
    const used = allotPace(view, capacity, claims.length);
    if (used !== null)
      await keepNextSlots(tx, { campaignId: definition.id, provider: view.provider, ...used.next });
  }
  if (probes && limit > 0) {
    const at = new Date(now.getTime() + probeRetryMs);
    return moved(tx, view, { wakeAt: at, nextDialAt: at, waitingFor: 'provider' }, { claims });
  }
  return planAfter(tx, view, capacity, {
    claims,
    dues,
    full: claims.length === limit,
    waitingFor: allowance.waitingFor,
    paceWaitUntil: pace?.waitUntil ?? null,
  });
}

/** Claims who is due, and reads what is left, in one exchange with Postgres. */
async function claim(
  tx: Tx,
  deps: AdvanceDeps,
  view: AdvanceView,
  { limit, slots }: { limit: number; slots: Date[] | null },
): Promise<{ claims: Claim[]; dues: ZoneDue[] }> {
  const { now, definition, provider } = view;
  if (limit === 0) return { claims: [], dues: view.dues };
  const { claims } = await claimDueRecipients(tx, {
    organizationId: definition.organizationId,
    campaignId: definition.id,
    provider,
    zones: openZones(view),
    now,
    limit,
    leaseExpiresAt: new Date(now.getTime() + deps.settings.leaseSeconds * 1000),
    slots,
  });
  const dues = await findZoneDues(tx, definition);
  return { claims: await claims, dues };
}

/** After a claim: what is left, and what stands in its way. */
async function planAfter(
  tx: Tx,
  view: AdvanceView,
  capacity: Capacity,
  done: {
    claims: Claim[];
    dues: ZoneDue[];
    full: boolean;
    waitingFor: string | null;
    paceWaitUntil: Date | null;
  },
): Promise<Step> {
  const { now, definition } = view;
  const { claims } = done;
  const left = nextDial(definition.schedule, done.dues, now);
  if (left.kind === 'never' || left.at > now) {
    const plan =
      left.kind === 'at'
        ? { wakeAt: left.at, nextDialAt: left.at, waitingFor: left.waitingFor }
        : { wakeAt: null, nextDialAt: null, waitingFor: 'calls_in_progress' };
    return moved(tx, view, plan, { claims, heirs: await heirsOf(tx, view, capacity, claims.length) });
  }
  if (done.full && done.paceWaitUntil !== null) {
    const at = done.paceWaitUntil;
    return moved(tx, view, { wakeAt: at, nextDialAt: at, waitingFor: 'calls_per_second' }, { claims });
  }
  if (done.full && done.waitingFor !== null) {
    return moved(tx, view, { wakeAt: null, nextDialAt: now, waitingFor: done.waitingFor }, { claims });
  }
  // Either the batch was full, or somebody else holds what is due for a moment.
  const more = claims.length > 0;
  const wakeAt = more ? now : new Date(now.getTime() + heldElsewhereRetryMs);
  return moved(tx, view, { wakeAt, nextDialAt: now, waitingFor: null }, { claims, more });
}

/** Where nobody can take anything away, because nothing is limited, nobody has to wait for the rows either. */
async function capacityFor(tx: Tx, view: AdvanceView): Promise<Capacity> {
  const { organization, provider } = view.capacity;
  const isLimited =
    organization.max !== null ||
    provider.max !== null ||
    provider.callsPerSecond !== null ||
    isBroken(provider);
  if (!isLimited) return view.capacity;
  return holdCapacity(tx, {
    organizationId: view.definition.organizationId,
    provider: view.provider,
    campaignId: view.definition.id,
    priority: view.definition.priority,
  });
}

/** A campaign that waited for a line and now does without passes the wake-up on. */
async function passOn(tx: Tx, view: AdvanceView, capacity?: Capacity): Promise<LineHeirs> {
  if (view.waitingFor !== 'organization_line' && view.waitingFor !== 'provider_line') return nobody;
  return heirsOf(tx, view, capacity ?? (await capacityFor(tx, view)), 0);
}

async function heirsOf(tx: Tx, view: AdvanceView, capacity: Capacity, taken: number): Promise<LineHeirs> {
  const { organization, provider } = capacity;
  if (organization.rivals + provider.rivals + organization.queuedCalls + provider.queuedCalls === 0)
    return nobody;
  const free = Math.min(
    organization.max === null ? claimsAtOnce : organization.max - organization.inUse - taken,
    provider.max === null ? claimsAtOnce : provider.max - provider.inUse - taken,
  );
  if (free <= 0) return nobody;
  return findHeirs(tx, {
    organizations: [view.definition.organizationId],
    providers: [view.provider],
    freed: free,
    now: view.now,
  });
}

function openZones(view: AdvanceView): string[] {
  return view.dues
    .filter((due) => due.dueAt <= view.now)
    .map((due) => due.zone)
    .filter((zone) => dialingWindow(view.definition.schedule, zone, view.now).kind === 'open');
}

/** Slots of time within the horizon, where the campaign or its provider has a pace; null where neither has one. */
function allotPace(view: AdvanceView, capacity: Capacity, want: number): PaceAllotment | null {
  return allotPaces({
    now: view.now,
    want,
    campaign: { callsPerSecond: view.definition.callsPerSecond, nextSlotAt: view.nextSlotAt },
    provider: capacity.provider,
  });
}

function earlier(at: Date, other: Date | null): Date {
  return other !== null && other < at ? other : at;
}

async function finish(deps: AdvanceDeps, campaignId: string): Promise<boolean> {
  const finished = await inTransaction(deps.db, (tx) => finishCampaign(tx, campaignId));
  if (!finished) return false;
  deps.log.info({ campaign_id: campaignId }, 'campaign finished');
  await hintWithdraw(deps, [campaignId]);
  return true;
}
