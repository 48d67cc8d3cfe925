import { dailyHours, type DialingSchedule, windowDayOf } from './dialing-schedule.ts';
import { dayMs, formatLocalDate, isWeekend, localDayOf, parseLocalDate } from './local-date.ts';
import { type Interval, largestOffsetMs } from './local-span.ts';
import { allowedTimes, searchesFrom } from './compliance/calling-hours.ts';
import { type CallingKey, type ResolvedKey, resolveKey } from './compliance/calling-key.ts';
import { cutTo, openRuns, type OpenRun } from './open-runs.ts';
import type { TimeZone } from './time-zone.ts';

export type { DialingSchedule } from './dialing-schedule.ts';

export type WindowDecision =
  | {
      kind: 'open';
      opensAt: Date;
      /** The first instant after `now` at which this window forbids dialing; the next day's window may begin there. */
      closesAt: Date;
      /** yyyy-MM-dd, in the (first) zone of the key: the day on which this window opened, which identifies the round. */
      localDate: string;
    }
  | { kind: 'closed'; opensAt: Date; reason: ClosedReason }
  /** The end has passed, no window opens before it, or calls are never allowed when one does. */
  | { kind: 'over' };

/** `calling_hours`: the campaign's own window is open, but the rules at the person's location forbid a call. */
export type ClosedReason = 'not_started' | 'outside_hours' | 'weekend' | 'calling_hours';

/** A run lasts at most a day, or two if a zone repeats a date, so this margin before and after shows a whole run. */
const longestRunMs = 2 * dayMs + 1;

/**
 * Decides whether a recipient may be dialed now. Hours and weekends follow the wall clock at the person's location, or possible locations
 * (docs/behaviour.md). The rules of the key must also allow a call (docs/compliance.md).
 * Throws `UnknownTimeZoneError` and `InvalidScheduleError`, on which a gate stays shut.
 */
export function dialingWindow(schedule: DialingSchedule, key: CallingKey, now: Date): WindowDecision {
  const resolved = resolveKey(key);
  const nowMs = now.getTime();
  const { decision } = rememberedDecision(schedule, resolved, nowMs);
  if (decision.kind !== 'closed') return decision;
  return { ...decision, reason: whyClosed(schedule, resolved, nowMs) };
}

/** A decision without the reason, which may change before it does. */
interface Remembered {
  fromMs: number;
  /** The decision stays the same until then. */
  toMs: number;
  decision: Exclude<WindowDecision, { kind: 'closed' }> | { kind: 'closed'; opensAt: Date };
}

/** A decision takes twenty microseconds, and every dial of a campaign looks at the windows of all its keys. Forgotten with the rules of the key. */
const decisionsOfKeys = new WeakMap<ResolvedKey, Map<string, Remembered>>();
const namesOfSchedules = new WeakMap<DialingSchedule, string>();
const schedulesOfKeyAtMost = 8;

function rememberedDecision(schedule: DialingSchedule, key: ResolvedKey, nowMs: number): Remembered {
  let name = namesOfSchedules.get(schedule);
  if (name === undefined) namesOfSchedules.set(schedule, (name = JSON.stringify(schedule)));
  let known = decisionsOfKeys.get(key);
  if (known === undefined) decisionsOfKeys.set(key, (known = new Map<string, Remembered>()));
  const before = known.get(name);
  if (before !== undefined && before.fromMs <= nowMs && nowMs < before.toMs) return before;
  const decided = decide(schedule, key, nowMs);
  if (known.size >= schedulesOfKeyAtMost) known.clear();
  known.set(name, decided);
  return decided;
}

function decide(schedule: DialingSchedule, key: ResolvedKey, nowMs: number): Remembered {
  const current = runAt(allowedRuns, schedule, key, nowMs);
  if (current !== null) {
    return { fromMs: Math.min(nowMs, current.fromMs), toMs: current.toMs, decision: openDecision(current) };
  }
  const next = firstRun(schedule, key, nowMs, () => true);
  // Other hours may be found later.
  if (next === null) return { fromMs: nowMs, toMs: nowMs + dayMs, decision: { kind: 'over' } };
  const opensAt = new Date(next.fromMs);
  return { fromMs: nowMs, toMs: next.fromMs, decision: { kind: 'closed', opensAt } };
}

/** The parts of a campaign's own window that the rules of a key allow. */
function allowedRuns(schedule: DialingSchedule, key: ResolvedKey, range: Interval): OpenRun[] {
  const runs = ownRuns(schedule, key, range);
  if (key.rules.length === 0 && !key.isNowhere) return runs;
  return cutTo(runs, allowedTimes(key, range));
}

function ownRuns(schedule: DialingSchedule, key: ResolvedKey, range: Interval): OpenRun[] {
  return openRuns(schedule, key.zones, range);
}

function runAt(
  runs: typeof allowedRuns,
  schedule: DialingSchedule,
  key: ResolvedKey,
  atMs: number,
): OpenRun | null {
  const range = { fromMs: atMs - longestRunMs, toMs: atMs + longestRunMs };
  return runs(schedule, key, range).find((run) => run.fromMs <= atMs && atMs < run.toMs) ?? null;
}

/** The campaign's own window at an instant, regardless of the rules of the key; null if it is closed. */
export function ownWindow(schedule: DialingSchedule, key: CallingKey, now: Date): Interval | null {
  return runAt(ownRuns, schedule, resolveKey(key), now.getTime());
}

function openDecision(run: OpenRun): WindowDecision {
  return {
    kind: 'open',
    opensAt: new Date(run.fromMs),
    closesAt: new Date(run.toMs),
    localDate: formatLocalDate(run.windowDay),
  };
}

function whyClosed(schedule: DialingSchedule, key: ResolvedKey, nowMs: number): ClosedReason {
  if (nowMs < schedule.startAt.getTime()) return 'not_started';
  if (runAt(ownRuns, schedule, key, nowMs) !== null) return 'calling_hours';
  const isWeekendAt = (zone: TimeZone) => isWeekend(localDayOf(zone.localMs(nowMs)));
  if (!schedule.callOnWeekend && key.zones.some(isWeekendAt)) return 'weekend';
  return 'outside_hours';
}

/** The first accepted run that ends after an instant, cut to begin no earlier than that instant. */
function firstRun(
  schedule: DialingSchedule,
  key: ResolvedKey,
  afterMs: number,
  accepts: (run: OpenRun) => boolean,
): OpenRun | null {
  const fromMs = Math.max(afterMs, schedule.startAt.getTime());
  for (const range of searchesFrom(key, fromMs)) {
    const run = allowedRuns(schedule, key, range).find(accepts);
    if (run !== undefined) return run;
  }
  return null;
}

export type RoundOpening = { kind: 'opens'; at: Date; localDate: string } | { kind: 'over' };

/**
 * When a recipient's next round begins: on the next local day after `roundDate` on which the campaign may dial. It opens with
 * that day's window. If the window is all day, it opens at the wall-clock time of the recipient's first attempt, because midnight
 * would be a rude hour; if that time is not open on that day (before `startAt`), at the day's next open instant. Never
 * before `now`.
 */
export function nextRoundOpening(
  schedule: DialingSchedule,
  key: CallingKey,
  args: { roundDate: string; firstAttemptAt: Date },
  now: Date,
): RoundOpening {
  const resolved = resolveKey(key);
  const zone = firstZone(resolved);
  const { isAllDay } = dailyHours(schedule);
  const firstAttemptLocalMs = zone.localMs(args.firstAttemptAt.getTime());
  const timeOfDayMs = firstAttemptLocalMs - localDayOf(firstAttemptLocalMs) * dayMs;

  const earliestMs = (run: OpenRun) =>
    isAllDay ? Math.max(run.fromMs, firstInstantFrom(zone, run, timeOfDayMs)) : run.fromMs;
  const roundDay = parseLocalDate(args.roundDate);
  if (roundDay === null) throw new RangeError(`not a date: ${args.roundDate}`);
  // In no zone does the next date begin earlier than this.
  const nextDateMs = (roundDay + 1) * dayMs - largestOffsetMs;
  const run = firstRun(
    schedule,
    resolved,
    Math.max(now.getTime(), nextDateMs),
    (one) => one.windowDay > roundDay && earliestMs(one) < one.toMs,
  );
  if (run === null) return { kind: 'over' };
  return { kind: 'opens', at: new Date(earliestMs(run)), localDate: formatLocalDate(run.windowDay) };
}

/** The first instant of a run at which its day's wall clock shows a time of day, or a later one if that time is skipped. */
function firstInstantFrom(zone: TimeZone, run: OpenRun, timeOfDayMs: number): number {
  const localMs = run.windowDay * dayMs + timeOfDayMs;
  for (const segment of zone.segments(run.fromMs, run.toMs)) {
    const atMs = Math.max(segment.fromMs, localMs - segment.offsetMs);
    if (atMs < segment.toMs) return atMs;
  }
  return run.toMs;
}

/** The local date of the window that contains an instant, or the instant's own local date if no window does. */
export function windowDateOf(schedule: DialingSchedule, key: CallingKey, at: Date): string {
  const zone = firstZone(resolveKey(key));
  return formatLocalDate(windowDayOf(dailyHours(schedule), zone.localMs(at.getTime())));
}

function firstZone({ zones: [zone] }: ResolvedKey): TimeZone {
  if (zone === undefined) throw new RangeError('a key without a zone');
  return zone;
}
