import { dailyHours, type DialingSchedule } from '../dialing-schedule.ts';
import {
  dialingWindow,
  nextRoundOpening,
  windowDateOf,
  type WindowDecision,
  type RoundOpening,
} from '../dialing-window.ts';
import type { WindowRules } from '../retry-policy.ts';

interface Known {
  fromMs: number;
  /** The decision stays the same until then. */
  toMs: number;
  decision: WindowDecision;
}

/** First attempts are rounded to this. In campaigns without hours, rounds take their time of day from them. */
const timeOfDayMs = 900_000;

/** The window rules of one schedule; computes each window of a key once. */
export function rememberedWindows(schedule: DialingSchedule): WindowRules {
  const decisions = new Map<string, Known[]>();
  const openings = new Map<string, RoundOpening>();
  const { isAllDay } = dailyHours(schedule);

  function decide(key: string, atMs: number): WindowDecision {
    let known = decisions.get(key);
    if (known === undefined) decisions.set(key, (known = []));
    const place = placeOf(known, atMs);
    const before = known[place - 1];
    if (before !== undefined && atMs < before.toMs) return before.decision;
    const decision = dialingWindow(schedule, key, new Date(atMs));
    known.splice(place, 0, {
      fromMs: decision.kind === 'open' ? Math.min(atMs, decision.opensAt.getTime()) : atMs,
      toMs:
        decision.kind === 'open'
          ? decision.closesAt.getTime()
          : decision.kind === 'closed'
            ? decision.opensAt.getTime()
            : Number.POSITIVE_INFINITY,
      decision,
    });
    return decision;
  }

  return {
    dialingWindow: (_, key, now) => decide(key, now.getTime()),
    windowDateOf(_, key, at) {
      const decision = decide(key, at.getTime());
      return decision.kind === 'open' ? decision.localDate : windowDateOf(schedule, key, at);
    },
    nextRoundOpening(_, key, { roundDate, firstAttemptAt }, now) {
      const first = isAllDay ? Math.floor(firstAttemptAt.getTime() / timeOfDayMs) * timeOfDayMs : 0;
      const name = `${key} ${roundDate} ${first}`;
      const known = openings.get(name);
      if (known !== undefined && (known.kind === 'over' || known.at >= now)) return known;
      const opening = nextRoundOpening(
        schedule,
        key,
        { roundDate, firstAttemptAt: isAllDay ? new Date(first) : firstAttemptAt },
        now,
      );
      openings.set(name, opening);
      return opening;
    },
  };
}

/** How many begin at or before an instant. */
function placeOf(known: readonly Known[], atMs: number): number {
  let low = 0;
  let high = known.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((known[middle]?.fromMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
