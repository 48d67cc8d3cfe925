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
  /** When to ask again, if fewer slots were given than wanted. */
  waitUntil: Date | null;
  /** The values to store on the rows. */
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
 * A claim still has to be committed, published and taken to its gate. A slightly busy worker would miss a slot at this very
 * instant, and a missed slot costs a slow campaign a whole interval. So idle lanes begin a moment later.
 */
function firstSlotAt(now: Date, lanes: readonly PacingLane[]): Date {
  const areIdle = lanes.every((lane) => lane.nextSlotAt === null || lane.nextSlotAt <= now);
  return areIdle ? new Date(now.getTime() + idleLaneLeadMs) : now;
}

function laneOf(pace: Pace, isShared: boolean, now: Date): PacingLane | null {
  const { callsPerSecond, nextSlotAt } = pace;
  if (callsPerSecond === null) return null;
  // A next slot lies an interval after the last one, and within the horizon. A slot further ahead means that the clock was set back;
  // the lane then starts over.
  const latest = now.getTime() + latestSlotMs + Math.ceil(slotIntervalMs(callsPerSecond, isShared)) + 1;
  const isTooFar = nextSlotAt !== null && nextSlotAt.getTime() > latest;
  return {
    callsPerSecond,
    nextSlotAt: isTooFar ? new Date(now.getTime() + slotHorizonMs) : nextSlotAt,
    isShared,
  };
}
