/**
 * Pacing: the gates of each lane (a provider, a campaign) are counted in short buckets on its row, which is locked from the count to the commit. A gate
 * passes only if the buckets of its last second, with itself, hold no more than the rate. So two bursts cannot meet at the edge of a window, and a late
 * worker loses no time: what was not used within a moment may still be used. Between bursts the gates are spread evenly.
 */

/** Few enough that a row stays small, and short enough that 25 ms of each second are lost: 97.5 % of the rate is used. */
const bucketMs = 25;
/** Buckets that cover any second, wherever in a bucket it begins. */
const buckets = 1000 / bucketMs + 1;
/** How long the part of the rate that nobody used may be used later. Longer than timers and commits are late. */
const catchUpMs = 50;

/** The gates of a lane's last second, as stored in its row. */
export interface Pace {
  /** When the next gate may pass, in epoch milliseconds. */
  readonly nextAtMs: number;
  /** The gates by bucket; a bucket is named by its number since the epoch. */
  readonly gates: ReadonlyArray<readonly [bucket: number, gates: number]>;
}

export interface PacingLane {
  /** More than zero. A fractional rate may have one more call in a single second, but never more in the long run. */
  readonly callsPerSecond: number;
  /** Null before the first gate. */
  readonly pace: Pace | null;
}

export interface PaceAllowance {
  /** How many gates may pass now. */
  take: number;
  /** When to ask again, if these are fewer than wanted. Always after `now`. */
  waitUntil: Date | null;
}

/** How many of the wanted gates may pass at `now` in all lanes. */
export function paceAllowance(args: {
  now: Date;
  want: number;
  lanes: readonly PacingLane[];
}): PaceAllowance {
  const nowMs = args.now.getTime();
  const rooms = args.lanes.map((lane) => roomAt(lane, nowMs));
  const take = Math.min(args.want, ...rooms.map((room) => room.gates));
  if (take === args.want) return { take, waitUntil: null };
  const nextMs = Math.max(...rooms.map((room) => (room.gates > take ? nowMs : room.fullUntilMs)));
  return { take, waitUntil: new Date(Math.max(nowMs + 1, Math.ceil(nextMs))) };
}

/** The pace of a lane after gates that passed at an instant. */
export function countGates({ callsPerSecond, pace }: PacingLane, at: Date, count: number): Pace {
  const nowMs = at.getTime();
  const bucket = Math.floor(nowMs / bucketMs);
  const before = gatesAt(pace, nowMs);
  const here = before.find(([name]) => name === bucket)?.[1] ?? 0;
  return {
    nextAtMs: earliestMs({ callsPerSecond, pace }, nowMs) + count * intervalMs(callsPerSecond),
    gates: [...before.filter(([name]) => name !== bucket), [bucket, here + count]],
  };
}

function roomAt(lane: PacingLane, nowMs: number): { gates: number; fullUntilMs: number } {
  const { callsPerSecond } = lane;
  const gates = gatesAt(lane.pace, nowMs);
  const left = Math.max(0, Math.ceil(callsPerSecond) - gates.reduce((sum, [, count]) => sum + count, 0));
  const fromMs = earliestMs(lane, nowMs);
  const interval = intervalMs(callsPerSecond);
  const spread = fromMs > nowMs ? 0 : Math.floor((nowMs - fromMs) / interval) + 1;
  const evenlyMs = fromMs + spread * interval;
  if (left > spread) return { gates: spread, fullUntilMs: evenlyMs };
  const oldest = gates.reduce((first, [name]) => Math.min(first, name), Math.floor(nowMs / bucketMs));
  return { gates: left, fullUntilMs: Math.max(evenlyMs, (oldest + buckets) * bucketMs) };
}

/** When the first gate may pass that is not counted yet. */
function earliestMs({ callsPerSecond, pace }: PacingLane, nowMs: number): number {
  // At less than one a second nothing is caught up, so that each gate keeps its distance to the last one.
  const sinceMs = nowMs - (callsPerSecond >= 1 ? catchUpMs : 0);
  return pace === null || isAhead(pace, nowMs) ? sinceMs : Math.max(pace.nextAtMs, sinceMs);
}

/** The gates within the buckets that end at an instant. */
function gatesAt(pace: Pace | null, nowMs: number): Pace['gates'] {
  if (pace === null || isAhead(pace, nowMs)) return [];
  const first = Math.floor(nowMs / bucketMs) - buckets + 1;
  return pace.gates.filter(([name]) => name >= first);
}

/** Whether the clock was set back, so that the lane begins anew. */
function isAhead({ gates }: Pace, nowMs: number): boolean {
  return gates.some(([name]) => name * bucketMs > nowMs);
}

/** From one second without the rate's 25 ms, so that an even stream never meets a full second. */
function intervalMs(callsPerSecond: number): number {
  if (!Number.isFinite(callsPerSecond) || callsPerSecond <= 0) {
    throw new RangeError(`calls per second must be a positive number, not ${callsPerSecond}`);
  }
  return callsPerSecond >= 1 ? (buckets * bucketMs) / callsPerSecond : 1000 / callsPerSecond;
}
