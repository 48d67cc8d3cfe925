/**
 * Pacing by slots of time. Each lane (a provider, a campaign) stores one number, the time of its next free slot, and hands out slots
 * one interval apart: the generic cell rate algorithm (ITU-T I.371) without a burst. Unlike with a counter per fixed window,
 * two bursts cannot meet at a window's edge.
 */

/** A gate may pass up to this much after its slot, and never before it. A later caller has missed the slot. */
export const slotToleranceMs = 25;

/**
 * A slot may lie up to this much after a lane's own next slot if another lane of the same call is slower. It still costs that lane one
 * slot, not the time in between, so a slow campaign takes no more of a fast provider than it dials.
 */
export const slotSlackMs = 20;

/** How far ahead slots of time are handed out: the longest time that a worker may hold a claim before its gate. */
export const slotHorizonMs = 300;

/** How far ahead the first slot of an idle lane lies: the time from a claim to its gate, well within the 150 ms of a first dial. */
export const idleLaneLeadMs = 40;

/** No slot lies further ahead than this when it is handed out. */
export const latestSlotMs: number = slotHorizonMs + idleLaneLeadMs;

const microsPerMs = 1000;
/** Slots are whole milliseconds, rounded up. */
const roundingMs = 1;

/**
 * The interval between two slots of a lane. A gate passes between its slot and the tolerance after it. So with n slots spread over
 * 1000 + tolerance milliseconds, gate n+1 comes at least a second after the first, and no second has more than n. A lane is charged
 * from a millisecond before the slot (because of rounding), a shared lane from up to the slack before it, so these are added. That uses 1000/1045 = 95.7 % of the rate of a shared lane and
 * 97.5 % of any other. A fractional rate may have one more call in a single second, but never more in the long run.
 */
export function slotIntervalMs(callsPerSecond: number, isShared: boolean): number {
  if (!Number.isFinite(callsPerSecond) || callsPerSecond <= 0) {
    throw new RangeError(`calls per second must be a positive number, not ${callsPerSecond}`);
  }
  const latenessMs = slotToleranceMs + (isShared ? slotSlackMs : roundingMs);
  return callsPerSecond >= 1 ? (1000 + latenessMs) / callsPerSecond : 1000 / callsPerSecond + latenessMs;
}

export interface PacingLane {
  callsPerSecond: number;
  /** The result of the last allotment; null before the first. */
  nextSlotAt: Date | null;
  /** The same in epoch microseconds, if the caller stores it: a `Date` has whole milliseconds, and rounding costs a fast lane up to one for each allotment. */
  nextSlotMicros?: number | null;
  /**
   * Whether others also take slots from this lane, as from a provider's. False for the lane of a single campaign. By default the fastest lane counts
   * as shared.
   */
  isShared?: boolean;
}

export interface SlotAllotment {
  /** In order, each a whole millisecond, none before `now`. */
  slots: Date[];
  /** One for each lane, to be stored; rounded up. */
  nextSlotAt: Date[];
  /** The same, exactly. */
  nextSlotMicros: number[];
  /** When to ask again, if fewer slots were given than wanted. Always after `now`. */
  waitUntil: Date | null;
}

/**
 * Hands out up to `want` slots that satisfy every lane, none later than `now + horizonMs`.
 *
 * A slot that would lie more than the slack after a shared lane's own next slot is not given yet, because others would lose the time in
 * between. So a slow campaign takes its slots from a fast provider when they are due, not in advance, one or a few at
 * a time, and wastes none. The time of an unshared lane may be skipped: no other campaign could have used it.
 */
export function allotSlots(args: {
  now: Date;
  horizonMs: number;
  want: number;
  lanes: readonly PacingLane[];
}): SlotAllotment {
  const nowMs = args.now.getTime();
  const fastest = Math.max(...args.lanes.map((lane) => lane.callsPerSecond));
  const lanes = args.lanes.map((lane) => {
    const isShared = lane.isShared ?? lane.callsPerSecond === fastest;
    return {
      nextMicros: Math.max(nowMs * microsPerMs, savedMicros(lane)),
      // Rounded up: the rate is a limit.
      intervalMicros: Math.ceil(slotIntervalMs(lane.callsPerSecond, isShared) * microsPerMs),
      isShared,
    };
  });
  const slots: Date[] = [];
  let waitUntil: Date | null = null;
  while (slots.length < args.want) {
    const slotMs = Math.ceil(
      Math.max(nowMs * microsPerMs, ...lanes.map((lane) => lane.nextMicros)) / microsPerMs,
    );
    const earliestChargeMicros = (slotMs - slotSlackMs) * microsPerMs;
    const isTooEarly = lanes.some((lane) => lane.isShared && lane.nextMicros < earliestChargeMicros);
    if (isTooEarly || slotMs > nowMs + args.horizonMs) {
      waitUntil = new Date(slotMs - leadMs(args.horizonMs, isTooEarly));
      break;
    }
    slots.push(new Date(slotMs));
    for (const lane of lanes) {
      const earliestMicros = lane.isShared ? earliestChargeMicros : (slotMs - roundingMs) * microsPerMs;
      lane.nextMicros = Math.max(lane.nextMicros, earliestMicros) + lane.intervalMicros;
    }
  }
  return {
    slots,
    nextSlotAt: lanes.map((lane) => new Date(Math.ceil(lane.nextMicros / microsPerMs))),
    nextSlotMicros: lanes.map((lane) => lane.nextMicros),
    waitUntil,
  };
}

function savedMicros(lane: PacingLane): number {
  return lane.nextSlotMicros ?? (lane.nextSlotAt === null ? 0 : lane.nextSlotAt.getTime() * microsPerMs);
}

/**
 * How long before a slot to ask for it. If lanes differ, as early as the slack allows; otherwise half the horizon ahead, so that
 * the next allotment has half a horizon of slots rather than one.
 */
function leadMs(horizonMs: number, isTooEarly: boolean): number {
  return isTooEarly ? Math.min(slotSlackMs, horizonMs) : Math.floor(horizonMs / 2);
}
