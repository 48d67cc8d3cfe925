/**
 * Pacing by slots of time. Each lane (a provider, a campaign) keeps one number, the time of its next free slot, and hands slots
 * out one interval apart: the generic cell rate algorithm (ITU-T I.371) without a burst. Unlike a counter per fixed window,
 * no two bursts can meet at a window's edge.
 */

/** A gate may be passed this much after its slot, and never before it. A caller that is later gives the slot up. */
export const slotToleranceMs = 25;

/**
 * A slot may lie this much after a lane's own next slot, where another lane of the same call is slower. It costs that lane one
 * slot all the same, not the time between, so a slow campaign takes no more of a fast provider than it dials.
 */
export const slotSlackMs = 20;

/** How far ahead slots of time are handed out: as long as a worker may wait with a claim in its hands. */
export const slotHorizonMs = 300;

/** How far ahead the first slot of an idle lane lies: what a claim takes to its gate, well within the 150 ms of a first dial. */
export const idleLaneLeadMs = 40;

/** No slot lies further ahead than this when it is handed out. */
export const latestSlotMs: number = slotHorizonMs + idleLaneLeadMs;

const microsPerMs = 1000;
/** Slots are whole milliseconds, rounded up. */
const roundingMs = 1;

/**
 * From one slot of a lane to the next. A gate passes between its slot and the tolerance after it, so with n slots spread over
 * 1000 + tolerance milliseconds the n+1st gate is a whole second after the first: no second has more than n. A lane is charged
 * from a millisecond before the slot (it was rounded), a shared one from up to the slack before it, so that comes on top. That uses 1000/1045 = 95.7 % of the rate of a shared lane and
 * 97.5 % of another. A rate that is no whole number may have one call more in a second, never more in the long run.
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
  /** As the last allotment left it; null before the first. */
  nextSlotAt: Date | null;
  /** The same in epoch microseconds, where the caller keeps it: a `Date` has whole milliseconds, which costs a fast lane up to one an allotment. */
  nextSlotMicros?: number | null;
  /**
   * Whether others take slots from this lane too, as from a provider's. The lane of one campaign is its own: set false. Where it
   * is not said, the fastest lane counts as shared.
   */
  isShared?: boolean;
}

export interface SlotAllotment {
  /** In order, each a whole millisecond, none before `now`. */
  slots: Date[];
  /** One a lane, to be kept; rounded up. */
  nextSlotAt: Date[];
  /** The same, exactly. */
  nextSlotMicros: number[];
  /** Where fewer slots were given than wanted: when to ask again. Always after `now`. */
  waitUntil: Date | null;
}

/**
 * Hands out up to `want` slots that satisfy every lane, none later than `now + horizonMs`.
 *
 * A slot that would lie more than the slack after a shared lane's own next slot is not given yet: the time in between would be
 * lost to others. So a slow campaign takes its slots from a fast provider as they fall due rather than ahead, one or a few at
 * a time, and wastes none. A lane of one's own may be passed over: no one else could have used that time.
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
 * How long before a slot to ask for it. As early as the slack allows where lanes differ; else half the horizon ahead, so that
 * the next allotment is half a horizon of slots rather than one.
 */
function leadMs(horizonMs: number, isTooEarly: boolean): number {
  return isTooEarly ? Math.min(slotSlackMs, horizonMs) : Math.floor(horizonMs / 2);
}
