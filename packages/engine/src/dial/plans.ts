import {
  lineAllowance,
  nextDial,
  paceAllowance,
  slowedLines,
  type NextDial,
  type WaitingReason,
  type ZoneDue,
} from '@outdial/core';
import {
  lanesOf,
  toLane,
  type AdvanceView,
  type CampaignDefinition,
  type CampaignPlan,
  type Capacity,
  type PacedLanes,
  type RoomOfCampaign,
} from '@outdial/db';
import { isBroken, probeMs } from '../provider-health/circuit-breaker.ts';
import type { GatedCall } from '../send/gated-call.ts';
import { mediaRetryMs } from '../timing.ts';
import { after, isPausedAt, type CampaignLimits, type ReadLimits, type Wait } from './campaign-limits.ts';
import type { PeopleToDial } from './pass-due.ts';
import { wasWokenForLine, type ReadCapacity } from './shared-lines.ts';
import type { Planned, Step } from './step.ts';

const lockedElsewhereRetryMs = 100;
/** When to look again after a probe of a failing provider, unless it recovers earlier. */
const probeRetryMs = 1_000;

/** Plans the next wake-up of a campaign that dials nobody now, or finds that it is finished. Its runtime row is locked. */
export async function planWithoutDial(
  view: AdvanceView,
  readLimits: ReadLimits,
  readCapacity: ReadCapacity,
): Promise<Planned | Step> {
  if (view.definition.status !== 'running') return { kind: 'idle' };
  const { now, definition, earliestDueByZone } = view;
  const { schedule, organizationId } = definition;
  const isOver = schedule.endAt !== null && now >= schedule.endAt;
  if (isOver || (earliestDueByZone.length === 0 && view.lines_in_use === 0)) {
    return { kind: 'finish', organizationId };
  }
  if (isPausedAt(view, now)) return { view, plan: planAt('provider', view.paused_until) };
  const passesOn = wasWokenForLine(view);
  const next = nextDial(schedule, earliestDueByZone, now);
  if (next.kind === 'never' || next.at > now) {
    return { view, plan: planOf(next, earliestDueByZone), passesOn };
  }
  const limits = await readLimits(view);
  const capacity = await readCapacity(view);
  if (limits.wait !== null) return { view, plan: planAt(limits.wait.for, limits.wait.at), passesOn };
  const allowance = linesFor(definition, view, capacity, 1);
  if (allowance.waitingFor !== null) {
    const plan = { wakeAt: null, nextDialAt: now, waitingFor: allowance.waitingFor };
    return { view, plan, passesOn: true };
  }
  const lanes = pacedLanes(view, view.pace, capacity);
  const { waitUntil } = paceAllowance({ now: capacity.now, want: 1, lanes: lanesOf(lanes) });
  if (waitUntil !== null) {
    const isPaced = isPacedByProvider(lanes, capacity.now, 0);
    return { view, plan: planAt('calls_per_second', waitUntil), isPaced, passesOn };
  }
  // Another transaction holds the due rows for a moment, or a line came free meanwhile.
  const wakeAt = after(now, lockedElsewhereRetryMs);
  return { view, plan: { wakeAt, nextDialAt: now, waitingFor: null } };
}

/** What the locked rows allow a campaign. */
export interface Allowed extends Omit<PeopleToDial, 'pool'> {
  limits: CampaignLimits;
  room: RoomOfCampaign;
  lanes: PacedLanes;
  lines: ReturnType<typeof linesFor>;
  paced: ReturnType<typeof paceAllowance>;
}

/** When a campaign dials next, after the gate of this transaction. */
export function planAfterDial(
  { view, limits, room, lanes, lines, paced, people }: Allowed,
  { calls, left, now }: { calls: GatedCall[]; left: AdvanceView['earliestDueByZone']; now: Date },
): Planned {
  const count = calls.length;
  const endsPause = room.paused_until !== null;
  if (endsPause && count > 0) {
    const tried = calls.map((call) => ({ ...call, endsPause }));
    return { view, plan: planAt('provider', after(now, probeMs)), calls: tried };
  }
  // What this campaign leaves of the lines for which it was woken, others may use: those of another provider, or with another pace.
  const passesOn = true;
  if ((isBroken(room.capacity.provider) || endsPause) && people.length > 0) {
    return { view, plan: planAt('provider', after(now, probeRetryMs)), calls, passesOn };
  }
  const next = nextDial(view.definition.schedule, left, now);
  if (next.kind === 'never' || next.at > now) {
    const plan = planOf(next, left);
    // If the gate refused everybody who was left, no end of a call will find that the campaign is finished.
    const more = next.kind === 'never' && room.lines_in_use + count === 0;
    return { view, plan: more ? planAt(null, now) : plan, calls, passesOn, more };
  }
  const wait = waitOf(now, { count, paced, mediaCapacity: limits.mediaCapacity });
  if (wait !== null) {
    const isPaced = wait.for === 'calls_per_second' && isPacedByProvider(lanes, now, count);
    return { view, plan: planAt(wait.for, wait.at), calls, isPaced, passesOn };
  }
  if (lines.waitingFor !== null && count >= lines.take) {
    // If free lines belong to another organization, wake it.
    const plan = { wakeAt: null, nextDialAt: now, waitingFor: lines.waitingFor };
    return { view, plan, calls, passesOn };
  }
  // Until its next turn in a moment, others see that it wants the shared lines that are left.
  const waitingFor = sharedLineOf(room.capacity);
  return { view, plan: { wakeAt: now, nextDialAt: now, waitingFor }, calls, more: true };
}

function sharedLineOf({ organization, provider }: Capacity): WaitingReason | null {
  if (organization.max !== null) return 'organization_line';
  return provider.max === null ? null : 'provider_line';
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

/** Whether the pace of the provider leaves no more than these gates. */
function isPacedByProvider({ provider }: PacedLanes, now: Date, count: number): boolean {
  if (provider === null) return false;
  return paceAllowance({ now, want: count + 1, lanes: [provider] }).waitUntil !== null;
}

function planOf(next: NextDial, left: readonly ZoneDue[]): CampaignPlan {
  if (next.kind === 'at') return planAt(next.waitingFor, next.at);
  return planAt(left.length === 0 ? 'calls_in_progress' : next.waitingFor, null);
}

export function planAt(waitingFor: WaitingReason | null, at: Date | null): CampaignPlan {
  return { wakeAt: at, nextDialAt: at, waitingFor };
}

export function linesFor(
  { maxConcurrentCalls }: Pick<CampaignDefinition, 'maxConcurrentCalls'>,
  { lines_in_use: inUse, abandonment }: Pick<RoomOfCampaign, 'lines_in_use' | 'abandonment'>,
  { organization, provider }: Capacity,
  want: number,
): { take: number; waitingFor: WaitingReason | null } {
  const max = slowedLines(maxConcurrentCalls, abandonment);
  const { take, waitingFor } = lineAllowance({ want, campaign: { inUse, max }, organization, provider });
  const isSlowed = max < maxConcurrentCalls && waitingFor === 'campaign_line';
  return { take, waitingFor: isSlowed ? 'abandonment' : waitingFor };
}

export function pacedLanes(
  { definition }: AdvanceView,
  pace: RoomOfCampaign['pace'],
  { provider }: Capacity,
): PacedLanes {
  return {
    campaign: toLane(definition.callsPerSecond, pace),
    provider: toLane(provider.callsPerSecond, provider.pace),
  };
}
