import {
  allotSlots,
  idleLaneLeadMs,
  latestSlotMs,
  slotHorizonMs,
  slotIntervalMs,
  type PacingLane,
} from '@outdial/core';

interface Pace {
  callsPerSecond: number | null;
  nextSlotAt: Date | null;
}

export interface PaceRequest {
  now: Date;
  want: number;
  campaign: Pace | null;
  provider: Pace;
}

export interface PaceAllotment {
  slots: Date[];
  /** When to ask again, if there were fewer slots than wanted. */
  waitUntil: Date | null;
  /** The new values of the rows. */
  next: { campaignNextSlotAt: Date | null; providerNextSlotAt: Date | null };
}

/** Allots slots within the horizon that satisfy the paces of the campaign and its provider. Null if neither has one. */
export function allotPaces(args: PaceRequest): PaceAllotment | null {
  const lanes: PacingLane[] = [];
  const campaign = args.campaign && laneOf(args.campaign, false, args.now);
  if (campaign) lanes.push(campaign);
  const provider = laneOf(args.provider, true, args.now);
  if (provider) lanes.push(provider);
  if (lanes.length === 0) return null;
  const allotment = allotSlots({
    now: firstSlotAt(args.now, lanes),
    horizonMs: slotHorizonMs,
    want: args.want,
    lanes,
  });
  const nextOf = (lane: PacingLane | null) =>
    lane === null ? null : (allotment.nextSlotAt[lanes.indexOf(lane)] ?? null);
  return {
    slots: allotment.slots,
    waitUntil: allotment.waitUntil,
    next: { campaignNextSlotAt: nextOf(campaign), providerNextSlotAt: nextOf(provider) },
  };
}

/**
 * The first slot of idle lanes is a moment later, because a claim has to be committed and published before its gate. A slightly busy worker
 * would miss a slot right now, and a missed slot costs a slow campaign a whole interval.
 */
function firstSlotAt(now: Date, lanes: readonly PacingLane[]): Date {
  const areIdle = lanes.every((lane) => lane.nextSlotAt === null || lane.nextSlotAt <= now);
  return areIdle ? new Date(now.getTime() + idleLaneLeadMs) : now;
}

function laneOf(pace: Pace, isShared: boolean, now: Date): PacingLane | null {
  const { callsPerSecond, nextSlotAt } = pace;
  if (callsPerSecond === null) return null;
  // The next slot is at most an interval after the horizon. If it is further ahead, the clock was set back, and the lane starts over.
  const latest = now.getTime() + latestSlotMs + Math.ceil(slotIntervalMs(callsPerSecond, isShared)) + 1;
  const isTooFar = nextSlotAt !== null && nextSlotAt.getTime() > latest;
  return {
    callsPerSecond,
    nextSlotAt: isTooFar ? new Date(now.getTime() + slotHorizonMs) : nextSlotAt,
    isShared,
  };
}
