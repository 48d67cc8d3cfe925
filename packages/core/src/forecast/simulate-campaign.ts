import { type CallingKey, resolveKey, zoneOfKey } from '../compliance/calling-key.ts';
import { type PersonCaps, personFreeAt, withCapsOfRules } from '../compliance/person-caps.ts';
import { dayMs } from '../local-date.ts';
import { decideRetry, type WindowRules } from '../retry-policy.ts';
import { type Cohort, CohortQueue } from './cohort-queue.ts';
import { DialCapacity } from './dial-capacity.ts';
import { type Bottleneck, bottlenecks, type ForecastCase, type SimulatedCampaign } from './forecast-case.ts';
import { classesOf, type OutcomeClass } from './outcome-classes.ts';
import type { SampledRate } from './outcome-rates.ts';
import { binomial, normal, type Random } from './random.ts';

const stepsAtMost = 20_000;
/** The most group checks in one run, at a microsecond each. A campaign of weeks with many calling keys takes a tenth of them. */
const looksOfLongCampaigns = 200_000;
/** The number of calls in a step whose lengths are sampled. */
const drawnAtMost = 6;
const daysAtMost = 400;

/**
 * Runs a campaign on a virtual clock, by the rules of the engine, for people in groups. Its cost depends on time and calling
 * keys, not on recipients. The longest due are dialed first, as in dials.
 */
export function simulateCampaign(
  of: ForecastCase,
  {
    rates,
    windows,
    random,
    stepMs,
    looksAtMost = looksOfLongCampaigns,
  }: {
    rates: readonly SampledRate[];
    windows: WindowRules;
    random: Random;
    stepMs: number;
    /** When a run is abandoned without an end. */
    looksAtMost?: number;
  },
): SimulatedCampaign {
  const { schedule, policy, nowMs } = of;
  const classes = classesOf(rates, policy);
  const meanMs = classes.reduce((sum, one) => sum + one.share * one.seconds * 1000, 0);
  // Of more dials than its caps count, the older ones let a person be called anyway.
  const capsOfKeys = new Map<CallingKey, PersonCaps>();
  if (of.caps !== null) {
    for (const { key } of of.groups) {
      if (!capsOfKeys.has(key)) capsOfKeys.set(key, withCapsOfRules(of.caps, resolveKey(key).caps));
    }
  }
  const dialsThatCount = Math.max(
    0,
    ...[...capsOfKeys.values()].flatMap((caps) => (caps.calls ?? []).map(({ calls }) => calls)),
  );
  const capacity = new DialCapacity(of, { stepMs, meanMs });
  const horizonMs = Math.min(
    nowMs + daysAtMost * dayMs,
    schedule.endAt?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  const waiting = new CohortQueue();
  const result: SimulatedCampaign = {
    endMs: null,
    lastDialMs: null,
    dials: 0,
    reached: 0,
    neverDialed: 0,
    looks: 0,
    days: new Map(),
    // `fromEntries` forgets the names.
    heldUpMs: Object.fromEntries(bottlenecks.map((limit) => [limit, 0])) as SimulatedCampaign['heldUpMs'],
  };
  for (const group of of.groups) {
    waiting.add({ ...group, lastDate: '', dials: [], isCapped: false });
  }
  let someStay = of.othersWait;
  const lastStep = Math.ceil((horizonMs - nowMs) / stepMs);
  let lastEndMs = nowMs;
  let step = 0;
  for (let steps = 0; ; steps++) {
    const atMs = nowMs + step * stepMs;
    if (waiting.isEmpty) {
      const endsAtMs = schedule.endAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (!someStay) result.endMs = lastEndMs;
      else if (endsAtMs <= horizonMs) result.endMs = endsAtMs;
      break;
    }
    if (atMs >= horizonMs || steps >= stepsAtMost || result.looks >= looksAtMost) {
      if (schedule.endAt === null || atMs < schedule.endAt.getTime()) break;
      for (const cohort of waiting.all()) if (cohort.attempts === 0) result.neverDialed += cohort.count;
      result.endMs = schedule.endAt.getTime();
      break;
    }
    capacity.moveTo(step);
    const { most, limit } = capacity.mostDials();
    const open = dueAndOpen(atMs, most);
    if (open.length === 0) {
      step = jump(atMs);
      continue;
    }
    const due = open.reduce((sum, cohort) => sum + cohort.count, 0);
    take(open, Math.min(due, most), atMs);
    const isHeldUp = due > most || (waiting.peek()?.dueMs ?? Number.POSITIVE_INFINITY) <= atMs;
    const next = isHeldUp && most === 0 ? Math.min(capacity.nextFreeStep(step, limit), lastStep) : step + 1;
    if (isHeldUp) result.heldUpMs[limit] += (next - step) * stepMs;
    step = next;
  }
  return result;

  /**
   * Due cohorts with an open window, the longest due first, with at least as many people as can be dialed; all cohorts that are due at the same
   * instant. Cohorts with a closed window become due when it opens.
   */
  function dueAndOpen(atMs: number, most: number): Cohort[] {
    const open: Cohort[] = [];
    let people = 0;
    for (;;) {
      const first = waiting.peek();
      if (first === undefined || first.dueMs > atMs) break;
      if (people > 0 && people >= most && first.dueMs !== open.at(-1)?.dueMs) break;
      result.looks += 1;
      waiting.take();
      const window = windows.dialingWindow(schedule, first.key, new Date(atMs));
      if (window.kind === 'open') {
        open.push(first);
        people += first.count;
      }
      if (window.kind === 'closed') {
        waiting.add({ ...first, dueMs: window.opensAt.getTime(), isCapped: false });
      }
      if (window.kind === 'over') {
        someStay = true;
        if (first.attempts === 0) result.neverDialed += first.count;
      }
    }
    return open;
  }

  /** The next step in which people are due; records what delayed the campaign until then. */
  function jump(atMs: number): number {
    const next = waiting.peek();
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
        // The last one gets the remainder.
        const share =
          left >= together || together === cohort.count
            ? cohort.count
            : binomial(random, cohort.count, left / together);
        together -= cohort.count;
        const taken = Math.min(share, left, cohort.count);
        left -= taken;
        if (taken < cohort.count) waiting.add({ ...cohort, count: cohort.count - taken });
        if (taken > 0) dial(cohort, taken, atMs);
      }
      from = to;
    }
  }

  function dial(cohort: Cohort, count: number, atMs: number): void {
    capacity.countDials(count, step);
    result.dials += count;
    result.lastDialMs = atMs;
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
    capacity.occupyLines(count, step, seconds * 1000);
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
    const dials = dialsThatCount === 0 ? [] : [...cohort.dials, atMs].slice(-dialsThatCount);
    const freeMs = freeFrom(cohort.key, dials);
    const dueMs = decision.at.getTime();
    const isRound = decision.kind === 'next_round';
    waiting.add({
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

  function freeFrom(key: CallingKey, dials: readonly number[]): number {
    const caps = capsOfKeys.get(key);
    if (caps === undefined) return 0;
    const history = {
      dials: dials.map((at) => ({ at: new Date(at), campaignId: 'own' })),
      conversationAt: null,
    };
    const at = personFreeAt(caps, history, { campaignId: 'own', isDebtCollection: of.isDebtCollection });
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
}
