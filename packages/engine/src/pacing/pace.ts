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
  /** When to ask again, where fewer were given than wanted. */
  waitUntil: Date | null;
  /** What to keep on the rows. */
  next: { campaignNextSlotAt: Date | null; providerNextSlotAt: Date | null };
}

/** Slots of time within the horizon that satisfy the campaign's pace and its provider's; null where neither has one. */
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
 * A claim has yet to be committed, published and taken to its gate. A slot at this very instant would be missed by a worker that
 * is a little busy, and a missed slot costs a slow campaign a whole interval; so lanes that were idle begin a moment later.
 */
function firstSlotAt(now: Date, lanes: readonly PacingLane[]): Date {
  const areIdle = lanes.every((lane) => lane.nextSlotAt === null || lane.nextSlotAt <= now);
  return areIdle ? new Date(now.getTime() + idleLaneLeadMs) : now;
}

function laneOf(pace: Pace, isShared: boolean, now: Date): PacingLane | null {
  const { callsPerSecond, nextSlotAt } = pace;
  if (callsPerSecond === null) return null;
  // A next slot lies an interval after the last one, and that within the horizon; further ahead it is only where the clock was set back:
  // then the lane begins again.
  const latest = now.getTime() + latestSlotMs + Math.ceil(slotIntervalMs(callsPerSecond, isShared)) + 1;
  const isTooFar = nextSlotAt !== null && nextSlotAt.getTime() > latest;
  return {
    callsPerSecond,
    nextSlotAt: isTooFar ? new Date(now.getTime() + slotHorizonMs) : nextSlotAt,
    isShared,
  };
}
