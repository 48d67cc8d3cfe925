import { allotSlots, type PacingLane } from '@outdial/core';
import { idleLaneLeadMs, slotHorizonMs } from '../timing.ts';

interface Pace {
  callsPerSecond: number | null;
  nextSlotAt: Date | null;
}

export interface PaceAllotment {
  slots: Date[];
  /** When to ask again, where fewer were given than wanted. */
  waitUntil: Date | null;
  /** What to keep on the rows. */
  next: { campaignNextSlotAt: Date | null; providerNextSlotAt: Date | null };
}

/** Slots of time within the horizon that satisfy the campaign's pace and its provider's; null where neither has one. */
export function allotPaces(args: {
  now: Date;
  want: number;
  campaign: Pace | null;
  provider: Pace;
}): PaceAllotment | null {
  const lanes: PacingLane[] = [];
  const campaign = args.campaign && laneOf(args.campaign, false);
  if (campaign) lanes.push(campaign);
  const provider = laneOf(args.provider, true);
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

function laneOf(pace: Pace, isShared: boolean): PacingLane | null {
  if (pace.callsPerSecond === null) return null;
  return { callsPerSecond: pace.callsPerSecond, nextSlotAt: pace.nextSlotAt, isShared };
}
