import { dayMs, localDayOf } from '../local-date.ts';
import { common, type Interval } from '../local-span.ts';
import type { TimeZone } from '../time-zone.ts';
import { type CallingKey, type ResolvedKey, resolveKey } from './calling-key.ts';
import { type HoursTable, spansOfDay } from './hours-table.ts';

/** Whether the rules of a key allow a call at an instant, regardless of the campaign. */
export type CallingHours =
  | { kind: 'open'; opensAt: Date; closesAt: Date }
  /** Null: not within a year, which means never. */
  | { kind: 'closed'; opensAt: Date | null };

/** The time without any rule. */
const allTime = { fromMs: 0, toMs: Date.UTC(9999, 0, 1) };
/** Calling hours last less than a day, and consecutive holidays less than a fortnight. */
const aroundMs = 2 * dayMs;
/** Most waits end within this time. */
const usualWaitMs = 3 * dayMs;
/**
 * Every wait ends within this time by the rules of this release, except for emergencies and for clocks that differ. Five days of each week are open for some
 * time; a clock change can remove the hours of one of them, a change of the date line one more, and holidays a few.
 */
const longWaitMs = 16 * dayMs;
const yearMs = 366 * dayMs;

/** The times in [fromMs, toMs) at which all rules of a key allow calls, in order. Without rules, all of it. */
export function allowedTimes({ rules, isNowhere }: ResolvedKey, range: Interval): Interval[] {
  if (isNowhere) return [];
  let allowed: Interval[] = [range];
  for (const { rule, zone } of rules) {
    if (allowed.length === 0) break;
    allowed = common(allowed, timesOfTable(rule.hours, zone, range));
    for (const emergency of rule.emergencies ?? []) allowed = outside(allowed, emergency);
  }
  return allowed;
}

function outside(times: readonly Interval[], { fromMs, toMs }: Interval): Interval[] {
  return common(times, [
    { fromMs: -Infinity, toMs: fromMs },
    { fromMs: toMs, toMs: Infinity },
  ]);
}

/**
 * Where to look for the next opening from an instant: soon, beyond every emergency of the rules, and within a year, since an operator's rules may close
 * weeks, and the same short hours of two places may meet in one season only.
 */
export function* searchesFrom({ rules }: ResolvedKey, fromMs: number): Generator<Interval> {
  const ends = rules.flatMap(({ rule }) => rule.emergencies?.map(({ toMs }) => toMs) ?? []);
  const lastMs = Math.max(fromMs, ...ends);
  for (const waitMs of [usualWaitMs, longWaitMs, yearMs]) {
    yield { fromMs, toMs: (waitMs === usualWaitMs ? fromMs : lastMs) + waitMs };
  }
}

/** The times that a table allows by the clock of a zone; adjacent ones are joined. */
function timesOfTable(table: HoursTable, zone: TimeZone, range: Interval): Interval[] {
  const times: Interval[] = [];
  for (const segment of zone.segments(range.fromMs, range.toMs)) {
    const lastDay = localDayOf(segment.toMs + segment.offsetMs);
    for (let day = localDayOf(segment.fromMs + segment.offsetMs); day <= lastDay; day++) {
      const midnightMs = day * dayMs - segment.offsetMs;
      for (const { startMs, endMs } of spansOfDay(table, day)) {
        const fromMs = Math.max(segment.fromMs, midnightMs + startMs);
        const toMs = Math.min(segment.toMs, midnightMs + endMs);
        if (fromMs >= toMs) continue;
        const last = times.at(-1);
        if (last !== undefined && last.toMs === fromMs) last.toMs = toMs;
        else times.push({ fromMs, toMs });
      }
    }
  }
  return times;
}

/** @throws UnknownTimeZoneError, on which a gate stays shut. */
export function callingHours(key: CallingKey, now: Date): CallingHours {
  const resolved = resolveKey(key);
  const nowMs = now.getTime();
  if (resolved.rules.length === 0 && !resolved.isNowhere) {
    return { kind: 'open', opensAt: new Date(allTime.fromMs), closesAt: new Date(allTime.toMs) };
  }
  const around = { fromMs: nowMs - aroundMs, toMs: nowMs + aroundMs };
  const current = allowedTimes(resolved, around).find((one) => one.fromMs <= nowMs && nowMs < one.toMs);
  if (current !== undefined) {
    return { kind: 'open', opensAt: new Date(current.fromMs), closesAt: new Date(current.toMs) };
  }
  for (const range of searchesFrom(resolved, nowMs)) {
    const [next] = allowedTimes(resolved, range);
    if (next !== undefined) return { kind: 'closed', opensAt: new Date(next.fromMs) };
  }
  return { kind: 'closed', opensAt: null };
}
