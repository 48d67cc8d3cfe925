import {
  lineAllowance,
  nextDial,
  paceAllowance,
  slowedLines,
  dialingWindow,
  type WaitingReason,
} from '@outdial/core';
import {
  callsLeftOf,
  chooseDue,
  findEarliestDueByZone,
  lanesOf,
  lockAdvance,
  lockCallerIdPool,
  lockDial,
  openAdvance,
  savePace,
  takeSharedLines,
  toLane,
  type AdvanceView,
  type CallerIdPool,
  type CampaignPlan,
  type Capacity,
  type ChosenRecipient,
  type DialRoom,
  type PacedLanes,
  type Tx,
} from '@outdial/db';
import { isBroken, probeMs } from '../provider-health/circuit-breaker.ts';
import { callerIdRetryMs } from '../timing.ts';
import {
  after,
  closedAt,
  isPausedNow,
  limitsOf,
  linesToTry,
  mediaRetryMs,
  type CampaignLimits,
  type Wait,
} from './campaign-limits.ts';
import { passDue, type DialDueDeps } from './pass-due.ts';

export type { DialDueDeps };
import { capacityFor, wakeLineWaiters, wakeLineWaitersForRest } from './shared-lines.ts';
import { dialsAtOnce, moved, type Step } from './step.ts';

const lockedElsewhereRetryMs = 100;
/** When to look again after a probe of a failing provider, unless it recovers earlier. */
const probeRetryMs = 1_000;

/**
 * One transaction of an advance: chooses due recipients, passes the gate with as many as lines, pace, quota and caller ids allow, and plans the next
 * wake-up. The calls that it returns are committed with it, and have to be sent at once.
 * @param takePlaces reserves places to send, and returns how many there are; called when the locks that changes hold have been granted
 */
export async function dialDue(
  tx: Tx,
  deps: DialDueDeps,
  campaignId: string,
  takePlaces: () => number,
): Promise<Step> {
  const view = await openAdvance(tx, campaignId);
  if (view?.definition.status !== 'running') return { kind: 'idle' };
  if (isDueNow(view)) {
    const limits = await limitsOf(tx, deps, view);
    const limit = limits.wait === null ? placesToTry(view, Math.min(limits.atMost, takePlaces())) : 0;
    const chosen = limit > 0 ? await choose(tx, view, limit) : [];
    if (chosen.length > 0) return dialChosen(tx, deps, view, { chosen, limits });
  }
  return planWithoutDial(tx, deps, campaignId);
}

function isDueNow({ definition: { schedule }, earliestDueByZone, now }: AdvanceView): boolean {
  if (schedule.endAt !== null && now >= schedule.endAt) return false;
  const next = nextDial(schedule, earliestDueByZone, now);
  return next.kind === 'at' && next.at <= now;
}

function placesToTry(view: AdvanceView, atMost: number): number {
  const lines = linesToTry(view, atMost);
  const lanes = lanesOf(pacedLanes(view, view.pace, view.capacity));
  return lines <= 0 ? 0 : paceAllowance({ now: view.now, want: lines, lanes }).take;
}

function choose(tx: Tx, view: AdvanceView, limit: number): Promise<ChosenRecipient[]> {
  const { now, definition, hasCallerIds } = view;
  const { schedule, organizationId, id: campaignId } = definition;
  const zones = view.earliestDueByZone
    .filter((due) => due.dueAt <= now)
    .map((due) => due.zone)
    .filter((zone) => dialingWindow(schedule, zone, now).kind === 'open');
  return chooseDue(tx, { organizationId, campaignId, zones, now, limit, withLastCallerId: hasCallerIds });
}

function pacedLanes({ definition }: AdvanceView, pace: DialRoom['pace'], { provider }: Capacity): PacedLanes {
  return {
    campaign: toLane(definition.callsPerSecond, pace),
    provider: toLane(provider.callsPerSecond, provider.pace),
  };
}

/** Plans the next wake-up of a campaign that dials nobody now, or finds that it is finished. */
async function planWithoutDial(tx: Tx, deps: DialDueDeps, campaignId: string): Promise<Step> {
  const view = await lockAdvance(tx, campaignId);
  if (view?.definition.status !== 'running') return { kind: 'idle' };
  const { now, definition, earliestDueByZone } = view;
  const { schedule, organizationId } = definition;
  const isOver = schedule.endAt !== null && now >= schedule.endAt;
  if (isOver || (earliestDueByZone.length === 0 && view.linesInUse === 0)) {
    return { kind: 'finish', organizationId };
  }
  if (isPausedNow(view)) return moved(tx, view, pausedPlan(view.pausedUntil));
  const next = nextDial(schedule, earliestDueByZone, now);
  if (next.kind === 'never' || next.at > now) {
    const waitingFor = earliestDueByZone.length > 0 ? 'window' : 'calls_in_progress';
    const plan = next.kind === 'at' ? planAt(next.waitingFor, next.at) : planAt(waitingFor, null);
    return moved(tx, view, plan, { lineWaiters: await wakeLineWaiters(tx, view) });
  }
  const limits = await limitsOf(tx, deps, view);
  const capacity = await capacityFor(tx, view);
  if (limits.wait !== null) {
    const lineWaiters = await wakeLineWaiters(tx, view, capacity);
    return moved(tx, view, planAt(limits.wait.for, limits.wait.at), { lineWaiters });
  }
  const allowance = linesFor(view, view.linesInUse, capacity, 1);
  if (allowance.waitingFor !== null) {
    const lineWaiters = await wakeLineWaitersForRest(tx, view, capacity, 0);
    return moved(
      tx,
      view,
      { wakeAt: null, nextDialAt: now, waitingFor: allowance.waitingFor },
      { lineWaiters },
    );
  }
  const lanes = pacedLanes(view, view.pace, capacity);
  const { waitUntil } = paceAllowance({ now: capacity.now, want: 1, lanes: lanesOf(lanes) });
  if (waitUntil !== null) {
    const isPaced = isPacedByProvider(lanes, capacity.now, 0);
    const lineWaiters = await wakeLineWaiters(tx, view, capacity);
    return moved(tx, view, planAt('calls_per_second', waitUntil), { isPaced, lineWaiters });
  }
  // Another transaction holds the due rows for a moment, or a line came free meanwhile.
  const wakeAt = after(now, lockedElsewhereRetryMs);
  return moved(tx, view, { wakeAt, nextDialAt: now, waitingFor: null });
}

/** Whether the pace of the provider leaves no more than these gates. */
function isPacedByProvider({ provider }: PacedLanes, now: Date, count: number): boolean {
  if (provider === null) return false;
  return paceAllowance({ now, want: count + 1, lanes: [provider] }).waitUntil !== null;
}

function planAt(waitingFor: WaitingReason | null, at: Date | null): CampaignPlan {
  return { wakeAt: at, nextDialAt: at, waitingFor };
}

/** The next try of a campaign whose agent's calls the provider refused, unless one is accepted earlier. */
function pausedPlan(at: Date): CampaignPlan {
  return { ...planAt('provider', at), keepsPause: true };
}

function linesFor(
  { definition, abandonment }: AdvanceView,
  inUse: number,
  { organization, provider }: Capacity,
  want: number,
): { take: number; waitingFor: WaitingReason | null } {
  const max = slowedLines(definition.maxConcurrentCalls, abandonment);
  const { take, waitingFor } = lineAllowance({ want, campaign: { inUse, max }, organization, provider });
  const isSlowed = max < definition.maxConcurrentCalls && waitingFor === 'campaign_line';
  return { take, waitingFor: isSlowed ? 'abandonment' : waitingFor };
}

/** Dials recipients that are locked, as many of them as the rows allow that are locked last. */
async function dialChosen(
  tx: Tx,
  deps: DialDueDeps,
  view: AdvanceView,
  { chosen, limits }: { chosen: readonly ChosenRecipient[]; limits: CampaignLimits },
): Promise<Step> {
  const { definition, provider } = view;
  const room = await lockDial(tx, view);
  const { now, capacity } = room;
  const closedUntil = closedAt(capacity, now);
  if (closedUntil !== null) {
    const lineWaiters = await wakeLineWaiters(tx, view, capacity);
    return moved(tx, view, planAt('provider', closedUntil), { lineWaiters });
  }
  const endsPause = view.pausedUntil !== null;
  const probes = isBroken(capacity.provider) || endsPause;
  const allowance = linesFor(view, room.linesInUse, capacity, probes ? 1 : limits.atMost);
  const lanes = pacedLanes(view, room.pace, capacity);
  const paced = paceAllowance({ now, want: allowance.take, lanes: lanesOf(lanes) });
  const pool = view.hasCallerIds
    ? await lockCallerIdPool(tx, definition.organizationId, { atLeast: dialsAtOnce })
    : null;
  const rested = pool === null ? null : restOf(pool, now);
  if (rested !== null) {
    const plan = { wakeAt: rested.at, nextDialAt: rested.freeAt, waitingFor: rested.for };
    return moved(tx, view, plan, { lineWaiters: await wakeLineWaiters(tx, view, capacity) });
  }
  const people = chosen.slice(0, Math.min(paced.take, pool === null ? dialsAtOnce : callsLeftOf(pool).calls));
  const paceLeft = lanesOf(lanes).length === 0 ? null : paced.take;
  const { calls, at } = await passDue(tx, deps, view, { people, pool, paceLeft, now });
  const count = calls.length;
  if (count > 0) {
    await takeSharedLines(tx, { organizationId: definition.organizationId, provider, capacity, count });
    await savePace(tx, { campaignId: definition.id, provider }, lanes, { at, count });
  }
  if (endsPause && count > 0) {
    const tried = calls.map((call) => ({ ...call, endsPause }));
    return moved(tx, view, pausedPlan(after(now, probeMs)), { calls: tried });
  }
  // What this campaign leaves of the lines for which it was woken, others may use: those of another provider, or with another pace.
  const passOn = () => wakeLineWaitersForRest(tx, view, capacity, count);
  if (probes && people.length > 0) {
    const plan = planAt('provider', after(now, probeRetryMs));
    return moved(tx, view, plan, { calls, lineWaiters: await passOn() });
  }
  const earliestDueByZone = await findEarliestDueByZone(tx, definition);
  const left = nextDial(definition.schedule, earliestDueByZone, now);
  if (left.kind === 'never' || left.at > now) {
    const plan = left.kind === 'at' ? planAt(left.waitingFor, left.at) : planAt('calls_in_progress', null);
    // If the gate refused everybody who was left, no end of a call will find that the campaign is finished.
    const more = left.kind === 'never' && room.linesInUse + count === 0;
    return moved(tx, view, more ? planAt(null, now) : plan, { calls, lineWaiters: await passOn(), more });
  }
  const wait = waitOf(now, { count, paced, mediaCapacity: limits.mediaCapacity });
  if (wait !== null) {
    const isPaced = wait.for === 'calls_per_second' && isPacedByProvider(lanes, now, count);
    return moved(tx, view, planAt(wait.for, wait.at), { calls, isPaced, lineWaiters: await passOn() });
  }
  if (allowance.waitingFor !== null && count >= allowance.take) {
    // If free lines belong to another organization, wake it.
    const plan = { wakeAt: null, nextDialAt: now, waitingFor: allowance.waitingFor };
    return moved(tx, view, plan, { calls, lineWaiters: await passOn() });
  }
  // Until its next turn in a moment, others see that it wants the shared lines that are left.
  const waitingFor = sharedLineOf(capacity);
  return moved(tx, view, { wakeAt: now, nextDialAt: now, waitingFor }, { calls, more: true });
}

function sharedLineOf({ organization, provider }: Capacity): WaitingReason | null {
  if (organization.max !== null) return 'organization_line';
  return provider.max === null ? null : 'provider_line';
}

/** Set if the pool of caller ids allows no call now. */
function restOf(pool: CallerIdPool, now: Date): (Wait & { freeAt: Date }) | null {
  const { calls, freeAt } = callsLeftOf(pool);
  if (calls > 0) return null;
  // Calls that end without a dial wake no campaign, so this one looks again before the next day.
  const lookAt = after(now, callerIdRetryMs);
  return {
    for: 'caller_id',
    at: freeAt !== null && freeAt < lookAt ? freeAt : lookAt,
    freeAt: freeAt ?? lookAt,
  };
}

/** Until when no more can be dialed, apart from lines. Media servers count a call once it is placed, so their capacity is known shortly after. */
function waitOf(
  now: Date,
  done: { count: number; paced: { take: number; waitUntil: Date | null }; mediaCapacity: number | null },
): Wait | null {
  const { count, paced, mediaCapacity } = done;
  if (mediaCapacity !== null && count >= mediaCapacity) {
    return { for: 'media_runtime', at: after(now, mediaRetryMs) };
  }
  const isPaced = paced.waitUntil !== null && count >= paced.take;
  return isPaced ? { for: 'calls_per_second', at: paced.waitUntil ?? now } : null;
}
