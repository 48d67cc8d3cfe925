import type { DialingSchedule } from '../dialing-schedule.ts';
import { type CallingKey, zoneOfKey } from '../compliance/calling-key.ts';
import { personFreeAt, type PersonCaps } from '../compliance/person-caps.ts';
import { dayMs } from '../local-date.ts';
import type { Outcome } from '../outcome.ts';
import { decideRetry, type RetryPolicy, type WindowRules } from '../retry-policy.ts';
import type { SampledRate } from './outcome-rates.ts';
import { binomial, normal, type Random } from './random.ts';

/** Recipients that are alike for all rules. */
export interface ForecastGroup {
  key: CallingKey;
  count: number;
  dueMs: number;
  attempts: number;
  round: number;
  roundAttempts: number;
  firstAttemptMs: number | null;
}

/** The properties of a campaign that determine its course. */
export interface ForecastCase {
  schedule: DialingSchedule;
  policy: RetryPolicy;
  isDebtCollection: boolean;
  caps: PersonCaps | null;
  lines: number;
  callsPerSecond: number | null;
  /** For a day, which begins at midnight UTC. */
  quota: { perDay: number; leftToday: number } | null;
  nowMs: number;
  groups: readonly ForecastGroup[];
}

/** The limits that delay a campaign. */
export type Bottleneck =
  | 'lines'
  | 'calls_per_second'
  | 'quota'
  | 'calling_window'
  | 'retry_delay'
  | 'person_cap';

export interface SimulatedCampaign {
  /** Null if it does not end within the simulated days. */
  endMs: number | null;
  dials: number;
  reached: number;
  /** Recipients given up before their first attempt because the campaign ended. */
  neverDialed: number;
  /** By date and zone: people dialed, and dials. */
  days: Map<string, { date: string; zone: string; people: number; dials: number }>;
  /** How long each limit delayed it, in milliseconds. */
  heldUpMs: Record<Bottleneck, number>;
}

interface Cohort extends ForecastGroup {
  lastDate: string;
  /** The dials of each person, for caps; people of one cohort are treated as alike. */
  dials: readonly number[];
  isCapped: boolean;
}

/** Outcomes with the same consequence. */
interface OutcomeClass {
  outcome: Outcome;
  share: number;
  seconds: number;
  spreadSeconds: number;
}

const stepsAtMost = 20_000;
/** The maximum number of group checks in one run, at a microsecond each: a campaign of weeks with many calling keys takes a tenth of them. */
const looksAtMost = 200_000;
/** The number of calls in a step whose lengths are sampled. */
const drawnAtMost = 6;
const daysAtMost = 400;

/**
 * Runs a campaign on a virtual clock, by the rules of the engine, for people in groups. Its cost depends on time and calling
 * keys, not on recipients. The longest due are dialed first, as in claims.
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
  // With short steps, lines are held for the length of calls; with long ones, each line makes a number of calls in a step.
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

  /** The next step in which a call can be dialed. */
  function nextRoom(limit: Bottleneck): number {
    if (limit === 'quota') return Math.max(step + 1, Math.ceil(((quotaDay + 1) * dayMs - nowMs) / stepMs));
    if (limit === 'lines' && freeing.size > 0) return Math.max(step + 1, Math.min(...freeing.keys()));
    return step + 1;
  }

  /**
   * Due cohorts with an open window, the longest due first, with at least as many people as can be dialed; all cohorts that are due at the same
   * instant. Cohorts with a closed window become due when it opens.
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

  /** The next step in which people are due; records what delayed the campaign until then. */
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
    // A fraction of a call is kept for the next step.
    const whole = Math.floor(most + credit);
    credit = Math.min(1, most + credit - whole);
    if (quotaLeft < whole) return { most: Math.max(0, quotaLeft), limit: 'quota' };
    return { most: whole, limit: byPace < byLines ? 'calls_per_second' : 'lines' };
  }

  /** Dials people from the cohorts; cohorts that are due at the same instant share in proportion, as in the order of a list. */
  function take(open: readonly Cohort[], dials: number, atMs: number): void {
    let left = dials;
    for (let from = 0; from < open.length;) {
      let to = from;
      let together = 0;
      while (to < open.length && open[to]?.dueMs === open[from]?.dueMs) together += open[to++]?.count ?? 0;
      for (let n = from; n < to; n++) {
        const cohort = open[n];
        if (cohort === undefined) continue;
        // The last one takes the remainder.
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

  /** The next step of people whose call ended with an outcome. */
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
      // Rounded to the grid, so that people due a moment apart stay together.
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

  /** The longest of several calls that begin together lasts longer than their mean. */
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

/** Outcomes with their own delays stay separate; the others are merged if they have the same consequence. */
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
