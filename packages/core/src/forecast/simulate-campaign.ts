import type { DialingSchedule } from '../dialing-schedule.ts';
import { type CallingKey, zoneOfKey } from '../compliance/calling-key.ts';
import { personFreeAt, type PersonCaps } from '../compliance/person-caps.ts';
import { dayMs } from '../local-date.ts';
import type { Outcome } from '../outcome.ts';
import { decideRetry, type RetryPolicy, type WindowRules } from '../retry-policy.ts';
import type { SampledRate } from './outcome-rates.ts';
import { binomial, normal, type Random } from './random.ts';

/** Recipients that are alike as far as rules can tell. */
export interface ForecastGroup {
  key: CallingKey;
  count: number;
  dueMs: number;
  attempts: number;
  round: number;
  roundAttempts: number;
  firstAttemptMs: number | null;
}

/** What of a campaign decides how it goes. */
export interface ForecastCase {
  schedule: DialingSchedule;
  policy: RetryPolicy;
  isDebtCollection: boolean;
  caps: PersonCaps | null;
  lines: number;
  callsPerSecond: number | null;
  /** Of a day, which begins at midnight UTC. */
  quota: { perDay: number; leftToday: number } | null;
  nowMs: number;
  groups: readonly ForecastGroup[];
}

/** What holds a campaign up. */
export type Bottleneck =
  | 'lines'
  | 'calls_per_second'
  | 'quota'
  | 'calling_window'
  | 'retry_delay'
  | 'person_cap';

export interface SimulatedCampaign {
  /** Null where it has not ended within the days that were looked at. */
  endMs: number | null;
  dials: number;
  reached: number;
  /** Of those who are given up before the end of the campaign left them an attempt. */
  neverDialed: number;
  /** By date and zone: people dialed, and dials. */
  days: Map<string, { date: string; zone: string; people: number; dials: number }>;
  /** Milliseconds that each held it up. */
  heldUpMs: Record<Bottleneck, number>;
}

interface Cohort extends ForecastGroup {
  lastDate: string;
  /** Dials of each of them, for caps; those of one cohort are taken for alike. */
  dials: readonly number[];
  isCapped: boolean;
}

/** Outcomes after which the same follows. */
interface OutcomeClass {
  outcome: Outcome;
  share: number;
  seconds: number;
  spreadSeconds: number;
}

const stepsAtMost = 20_000;
/** Looks at a group of people in one run, of a microsecond each: a campaign of weeks with many calling keys takes a tenth of them. */
const looksAtMost = 200_000;
/** Calls of one step whose lengths are drawn. */
const drawnAtMost = 6;
const daysAtMost = 400;

/**
 * Runs a campaign on a virtual clock, by the rules by which the engine dials, for people in groups: its cost follows time and calling
 * keys and not recipients. The longest due are dialed first, as claims are made.
 */
export function simulateCampaign(
  of: ForecastCase,
  {
    rates,
    windows,
    random,
    stepMs,
  }: { rates: readonly SampledRate[]; windows: WindowRules; random: Random; stepMs: number },
): SimulatedCampaign {
  const { schedule, policy, nowMs } = of;
  const classes = classesOf(rates, policy);
  const meanMs = classes.reduce((sum, one) => sum + one.share * one.seconds * 1000, 0);
  // Where steps are short, lines are held for as long as calls last; where they are long, by how many a line makes in a step.
  const tracksLines = stepMs * 3 <= meanMs;
  const horizonMs = Math.min(
    nowMs + daysAtMost * dayMs,
    schedule.endAt?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  const waiting: Cohort[] = [];
  const merged = new Map<string, Cohort>();
  const result: SimulatedCampaign = {
    endMs: null,
    dials: 0,
    reached: 0,
    neverDialed: 0,
    days: new Map(),
    heldUpMs: { lines: 0, calls_per_second: 0, quota: 0, calling_window: 0, retry_delay: 0, person_cap: 0 },
  };
  for (const group of of.groups) {
    add({ ...group, lastDate: '', dials: [], isCapped: false });
  }
  const freeing = new Map<number, number>();
  let inUse = 0;
  let credit = 0;
  let lastEndMs = nowMs;
  let quotaDay = Math.floor(nowMs / dayMs);
  let quotaLeft = of.quota?.leftToday ?? Number.POSITIVE_INFINITY;

  let step = 0;
  let looks = 0;
  for (let steps = 0; ; steps++) {
    const atMs = nowMs + step * stepMs;
    if (waiting.length === 0) {
      result.endMs = lastEndMs;
      break;
    }
    if (atMs >= horizonMs || steps >= stepsAtMost || looks >= looksAtMost) {
      for (const cohort of waiting) if (cohort.attempts === 0) result.neverDialed += cohort.count;
      const isOver = schedule.endAt !== null && atMs >= schedule.endAt.getTime();
      result.endMs = isOver ? Math.max(schedule.endAt?.getTime() ?? 0, 0) : null;
      break;
    }
    for (const [at, lines] of freeing) {
      if (at > step) continue;
      inUse -= lines;
      freeing.delete(at);
    }
    if (of.quota !== null && Math.floor(atMs / dayMs) > quotaDay) {
      quotaDay = Math.floor(atMs / dayMs);
      quotaLeft = of.quota.perDay;
    }

    const { most, limit } = mostDials();
    const open = dueAndOpen(atMs, most);
    if (open.length === 0) {
      step = jump(atMs);
      continue;
    }
    const due = open.reduce((sum, cohort) => sum + cohort.count, 0);
    take(open, Math.min(due, most), atMs);
    const isHeldUp = due > most || (waiting[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= atMs;
    const next = isHeldUp && most === 0 ? nextRoom(limit) : step + 1;
    if (isHeldUp) result.heldUpMs[limit] += (next - step) * stepMs;
    step = next;
  }
  return result;

  /** The step in which something can be dialed again. */
  function nextRoom(limit: Bottleneck): number {
    if (limit === 'quota') return Math.max(step + 1, Math.ceil(((quotaDay + 1) * dayMs - nowMs) / stepMs));
    if (limit === 'lines' && freeing.size > 0) return Math.max(step + 1, Math.min(...freeing.keys()));
    return step + 1;
  }

  /**
   * Due cohorts whose window is open, the longest due first, at least as many people as can be dialed; of those that are due at one
   * instant all. Those whose window is closed become due as it opens.
   */
  function dueAndOpen(atMs: number, most: number): Cohort[] {
    const open: Cohort[] = [];
    let people = 0;
    for (;;) {
      const [first] = waiting;
      if (first === undefined || first.dueMs > atMs) break;
      if (people > 0 && people >= most && first.dueMs !== open.at(-1)?.dueMs) break;
      looks += 1;
      pop(waiting);
      merged.delete(nameOf(first));
      const window = windows.dialingWindow(schedule, first.key, new Date(atMs));
      if (window.kind === 'open') {
        open.push(first);
        people += first.count;
      }
      if (window.kind === 'closed') add({ ...first, dueMs: window.opensAt.getTime(), isCapped: false });
      if (window.kind === 'over' && first.attempts === 0) result.neverDialed += first.count;
    }
    return open;
  }

  /** To the step in which somebody is due; says what it waited for. */
  function jump(atMs: number): number {
    const [next] = waiting;
    if (next === undefined) return step + 1;
    const cause: Bottleneck = next.isCapped
      ? 'person_cap'
      : next.attempts > 0 && windows.dialingWindow(schedule, next.key, new Date(atMs)).kind === 'open'
        ? 'retry_delay'
        : 'calling_window';
    const to = Math.max(step + 1, Math.ceil((next.dueMs - nowMs) / stepMs));
    result.heldUpMs[cause] += (to - step) * stepMs;
    return to;
  }

  function mostDials(): { most: number; limit: Bottleneck } {
    const byLines = tracksLines ? Math.max(0, of.lines - inUse) : (of.lines * stepMs) / meanMs;
    const byPace =
      of.callsPerSecond === null ? Number.POSITIVE_INFINITY : (of.callsPerSecond * stepMs) / 1000;
    const most = Math.min(byLines, byPace);
    // What is less than a call is kept for the next step.
    const whole = Math.floor(most + credit);
    credit = Math.min(1, most + credit - whole);
    if (quotaLeft < whole) return { most: Math.max(0, quotaLeft), limit: 'quota' };
    return { most: whole, limit: byPace < byLines ? 'calls_per_second' : 'lines' };
  }

  /** Dials so many of the cohorts; those that are due at the same instant in proportion, as the order of a list has them. */
  function take(open: readonly Cohort[], dials: number, atMs: number): void {
    let left = dials;
    for (let from = 0; from < open.length;) {
      let to = from;
      let together = 0;
      while (to < open.length && open[to]?.dueMs === open[from]?.dueMs) together += open[to++]?.count ?? 0;
      for (let n = from; n < to; n++) {
        const cohort = open[n];
        if (cohort === undefined) continue;
        // The last of them takes what is left.
        const share =
          left >= together || together === cohort.count
            ? cohort.count
            : binomial(random, cohort.count, left / together);
        together -= cohort.count;
        const taken = Math.min(share, left, cohort.count);
        left -= taken;
        if (taken < cohort.count) add({ ...cohort, count: cohort.count - taken });
        if (taken > 0) dial(cohort, taken, atMs);
      }
      from = to;
    }
  }

  function dial(cohort: Cohort, count: number, atMs: number): void {
    quotaLeft -= count;
    result.dials += count;
    const window = windows.dialingWindow(schedule, cohort.key, new Date(atMs));
    const date = window.kind === 'open' ? window.localDate : cohort.lastDate;
    countDay(cohort, count, date);
    let left = count;
    let shareLeft = 1;
    for (const one of classes) {
      const n = binomial(random, left, one.share / shareLeft);
      left -= n;
      shareLeft -= one.share;
      if (n > 0) follow(cohort, n, one, atMs, date);
    }
  }

  /** What becomes of people whose call comes out so. */
  function follow(
    cohort: Cohort,
    count: number,
    { outcome, seconds, spreadSeconds }: OutcomeClass,
    atMs: number,
    date: string,
  ): void {
    const endedMs = atMs + seconds * 1000;
    lastEndMs = Math.max(lastEndMs, endedMs, atMs + longestOf(count, seconds, spreadSeconds) * 1000);
    const steps = Math.max(1, Math.round((seconds * 1000) / stepMs));
    if (tracksLines) {
      inUse += count;
      freeing.set(step + steps, (freeing.get(step + steps) ?? 0) + count);
    }
    const firstAttemptMs = cohort.firstAttemptMs ?? atMs;
    const decision = decideRetry({
      policy,
      schedule,
      zone: cohort.key,
      history: {
        attempts: cohort.attempts + 1,
        round: cohort.round,
        roundAttempts: cohort.roundAttempts + 1,
        attemptedAt: new Date(atMs),
        firstAttemptAt: new Date(firstAttemptMs),
      },
      outcome,
      endedAt: new Date(endedMs),
      windows,
    });
    if (decision.kind === 'reached') result.reached += count;
    if (decision.kind !== 'retry_at' && decision.kind !== 'next_round') return;
    const dials = of.caps === null ? [] : [...cohort.dials, atMs];
    const freeMs = freeFrom(dials);
    const dueMs = decision.at.getTime();
    const isRound = decision.kind === 'next_round';
    add({
      key: cohort.key,
      count,
      // On the grid, so that what comes a moment apart stays together.
      dueMs: nowMs + Math.max(step + 1, Math.round((Math.max(dueMs, freeMs) - nowMs) / stepMs)) * stepMs,
      attempts: cohort.attempts + 1,
      round: isRound ? decision.round : cohort.round,
      roundAttempts: isRound ? 0 : cohort.roundAttempts + 1,
      firstAttemptMs,
      lastDate: date,
      dials,
      isCapped: freeMs > dueMs,
    });
  }

  /** The last of calls that begin together ends later than their mean. */
  function longestOf(count: number, seconds: number, spreadSeconds: number): number {
    let most = -1;
    for (let n = 0; n < Math.min(count, drawnAtMost); n++) most = Math.max(most, normal(random));
    return seconds + most * spreadSeconds;
  }

  function freeFrom(dials: readonly number[]): number {
    if (of.caps === null) return 0;
    const history = {
      dials: dials.map((at) => ({ at: new Date(at), campaignId: 'own' })),
      conversationAt: null,
    };
    const at = personFreeAt(of.caps, history, { campaignId: 'own', isDebtCollection: of.isDebtCollection });
    return at?.getTime() ?? 0;
  }

  function countDay(cohort: Cohort, count: number, date: string): void {
    const name = `${date} ${cohort.key}`;
    let day = result.days.get(name);
    if (day === undefined) {
      day = { date, zone: zoneOfKey(cohort.key), people: 0, dials: 0 };
      result.days.set(name, day);
    }
    day.dials += count;
    if (cohort.lastDate !== date) day.people += count;
  }

  function add(cohort: Cohort): void {
    const name = nameOf(cohort);
    const same = merged.get(name);
    if (same !== undefined) {
      same.count += cohort.count;
      return;
    }
    merged.set(name, cohort);
    push(waiting, cohort);
  }
}

function nameOf(one: Cohort): string {
  return `${one.key} ${one.dueMs} ${one.attempts} ${one.round} ${one.roundAttempts} ${one.lastDate}`;
}

/** Outcomes with their own delays stay apart; the others are taken together where the same follows from them. */
function classesOf(rates: readonly SampledRate[], policy: RetryPolicy): OutcomeClass[] {
  const classes = new Map<string, OutcomeClass>();
  const { retryDelaysSeconds: delays } = policy;
  const byOutcome = delays !== null && !Array.isArray(delays);
  for (const { outcome, share, seconds, spreadSeconds } of rates) {
    const name =
      outcome === 'completed'
        ? outcome
        : !policy.retryOn.includes(outcome)
          ? 'over'
          : byOutcome
            ? outcome
            : 'again';
    const known = classes.get(name);
    if (known === undefined) {
      classes.set(name, { outcome, share, seconds, spreadSeconds });
      continue;
    }
    const all = known.share + share;
    const mean = (known.seconds * known.share + seconds * share) / all;
    const variance =
      (known.share * (known.spreadSeconds ** 2 + (known.seconds - mean) ** 2) +
        share * (spreadSeconds ** 2 + (seconds - mean) ** 2)) /
      all;
    known.seconds = mean;
    known.spreadSeconds = Math.sqrt(variance);
    known.share = all;
  }
  return [...classes.values()];
}

// A binary heap by the instant at which cohorts are due.

function push(heap: Cohort[], cohort: Cohort): void {
  let at = heap.length;
  heap.push(cohort);
  while (at > 0) {
    const parent = (at - 1) >>> 1;
    const above = heap[parent];
    if (above === undefined || above.dueMs <= cohort.dueMs) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = cohort;
}

function pop(heap: Cohort[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    const left = heap[child];
    if (left === undefined) break;
    const right = heap[child + 1];
    const less = right !== undefined && right.dueMs < left.dueMs ? right : left;
    if (less === right) child += 1;
    if (less.dueMs >= last.dueMs) break;
    heap[at] = less;
    at = child;
  }
  heap[at] = last;
}
