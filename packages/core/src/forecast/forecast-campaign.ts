import { type SampledRate, type OutcomeRates, sampleRates } from './outcome-rates.ts';
import { seededRandom } from './random.ts';
import type { Bottleneck, ForecastCase, SimulatedCampaign } from './forecast-case.ts';
import { isRetryable, type WindowRules } from '../retry-policy.ts';
import { simulateCampaign } from './simulate-campaign.ts';
import { dailyHours, type DialingSchedule } from '../dialing-schedule.ts';
import {
  dialingWindow,
  nextRoundOpening,
  windowDateOf,
  type WindowDecision,
  type RoundOpening,
} from '../dialing-window.ts';

/** When the campaign ends; null if it does not within the simulated days. */
export interface ForecastEnd {
  p10: Date | null;
  p50: Date | null;
  p90: Date | null;
}

export interface CampaignForecast {
  end: ForecastEnd;
  median: SimulatedCampaign;
  /** The limit that delayed it longest; null if none did. */
  bottleneck: { limit: Bottleneck; seconds: number } | null;
  /** The median end with twice the lines, and how much sooner that is. */
  twiceTheLines: { end: Date | null; soonerSeconds: number | null };
}

const runs = 21;
const runsWithTwiceTheLines = 7;
const runsOfEstimate = 5;
/** In all runs together, at two or three microseconds each: an estimate takes about a tenth of a second of processor time at most. */
const looksOfEstimate = 40_000;
const shortestStepMs = 1_000;
const longestStepMs = 900_000;

/**
 * Runs a campaign on virtual clocks, each time with other sampled rates and random numbers. The same seed gives the same forecast.
 * @param pause awaited between runs, each of which takes tens of milliseconds of processor time
 */
export async function forecastCampaign(
  of: ForecastCase,
  rates: OutcomeRates,
  seed: number,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<CampaignForecast> {
  const several = severalRuns(of, rates, seed, pause);
  const made = await several(of, runs);
  const sorted = made.toSorted(byEnd);
  const at = (percent: number, marginMs = 0) =>
    endOf(sorted[Math.round(((runs - 1) * percent) / 100)], marginMs);
  const marginMs = resolutionMs(of, rates);
  const median = sorted[(runs - 1) / 2];
  if (median === undefined) throw new RangeError('a forecast without a run');
  const wider = await several({ ...of, lines: of.lines * 2 }, runsWithTwiceTheLines);
  const middle = (some: SimulatedCampaign[]) =>
    some.toSorted(byEnd)[(runsWithTwiceTheLines - 1) / 2]?.endMs ?? null;
  const [usual, twice] = [middle(made.slice(0, runsWithTwiceTheLines)), middle(wider)];
  const soonerMs = twice === null || usual === null ? null : Math.max(0, usual - twice);
  return {
    end: { p10: at(10, -marginMs), p50: at(50), p90: at(90, marginMs) },
    median,
    bottleneck: bottleneckOf(median),
    twiceTheLines: {
      // From the same median as the end, so that the two can be compared.
      end: dateOf(soonerMs === null || median.endMs === null ? twice : median.endMs - soonerMs),
      soonerSeconds: soonerMs === null ? null : Math.round(soonerMs / 1000),
    },
  };
}

/**
 * Estimates only the end of a campaign, with a quarter of the runs, or one if that takes long. For estimates that are repeated often. Null
 * if the campaign does not end within the simulated days, or if the estimate would need too many group checks.
 */
export async function estimateCampaignEnd(
  of: ForecastCase,
  rates: OutcomeRates,
  seed: number,
  pause: () => Promise<void>,
): Promise<Date | null> {
  const run = nthRun(of, rates, seed);
  const made: SimulatedCampaign[] = [];
  let looks = 0;
  do {
    const one = run(of, made.length, looksOfEstimate);
    made.push(one);
    looks += one.looks;
    await pause();
  } while (made.length < runsOfEstimate && looks + looks / made.length <= looksOfEstimate);
  return endOf(made.toSorted(byEnd)[Math.floor((made.length - 1) / 2)], 0);
}

function severalRuns(of: ForecastCase, rates: OutcomeRates, seed: number, pause: () => Promise<void>) {
  const run = nthRun(of, rates, seed);
  return async (one: ForecastCase, count: number): Promise<SimulatedCampaign[]> => {
    const made: SimulatedCampaign[] = [];
    for (let n = 0; n < count; n++) {
      made.push(run(one, n));
      await pause();
    }
    return made;
  };
}

/** The n-th runs of two cases draw the same rates, so that they can be compared. */
function nthRun(of: ForecastCase, rates: OutcomeRates, seed: number) {
  const windows = rememberedWindows(of.schedule);
  const people = of.groups.reduce((sum, { count }) => sum + count, 0);
  return (one: ForecastCase, n: number, looksAtMost?: number): SimulatedCampaign => {
    const random = seededRandom(seed * 1_000_003 + n);
    const sampled = sampleRates(rates, people, random);
    const stepMs = stepFor(one, sampled);
    return simulateCampaign(one, {
      rates: sampled,
      windows,
      random,
      stepMs,
      ...(looksAtMost !== undefined && { looksAtMost }),
    });
  };
}

function byEnd(one: SimulatedCampaign, other: SimulatedCampaign): number {
  return (one.endMs ?? Number.MAX_VALUE) - (other.endMs ?? Number.MAX_VALUE);
}

/** The end of a run with a margin, but not before its last dial. */
function endOf(one: SimulatedCampaign | undefined, marginMs: number): Date | null {
  if (one === undefined || one.endMs === null) return null;
  return dateOf(Math.max(one.endMs + marginMs, Math.min(one.endMs, one.lastDialMs ?? one.endMs)));
}

function dateOf(atMs: number | null): Date | null {
  return atMs === null ? null : new Date(Math.round(atMs));
}

/** The resolution of a run: two steps of its clock, and the time of the last line within a call. */
function resolutionMs(of: ForecastCase, { rates }: OutcomeRates): number {
  const calls = rates.reduce((sum, rate) => sum + rate.calls, 0);
  const usual = rates.map((rate) => ({ ...rate, share: rate.calls / calls }));
  const callMs = usual.reduce((sum, { share, seconds }) => sum + share * seconds * 1000, 0);
  return 2 * stepFor(of, usual) + callMs;
}

function bottleneckOf({ heldUpMs }: SimulatedCampaign): CampaignForecast['bottleneck'] {
  const limits = Object.entries(heldUpMs) as Array<[Bottleneck, number]>;
  const [limit, ms] = limits.reduce((most, one) => (one[1] > most[1] ? one : most));
  return ms === 0 ? null : { limit, seconds: Math.round(ms / 1000) };
}

/** Short enough to separate waves of calls, and long enough that a campaign of weeks takes hundreds of steps. */
function stepFor(of: ForecastCase, rates: readonly SampledRate[]): number {
  const keys = new Set(of.groups.map(({ key }) => key)).size;
  const steps = Math.min(600, Math.max(100, 20_000 / Math.max(1, keys)));
  const people = of.groups.reduce((sum, { count }) => sum + count, 0);
  const meanSeconds = rates.reduce((sum, { share, seconds }) => sum + share * seconds, 0);
  const again = rates.reduce(
    (sum, { outcome, share }) => sum + (isRetryable(of.policy, outcome) ? share : 0),
    0,
  );
  let dialsEach = 1;
  for (let n = 1, left = again; n <= of.policy.callBackAttempts; n++, left *= again) dialsEach += left;
  const perSecond = Math.min(of.lines / meanSeconds, of.callsPerSecond ?? Number.POSITIVE_INFINITY);
  const busyMs = ((people * dialsEach) / perSecond) * 1000;
  return Math.round(Math.min(longestStepMs, Math.max(shortestStepMs, busyMs / steps)));
}

interface Known {
  fromMs: number;
  /** The decision stays the same until then. */
  toMs: number;
  decision: WindowDecision;
}

/** First attempts are rounded to this. In campaigns without hours, rounds take their time of day from them. */
const timeOfDayMs = 900_000;

/** The window rules of one schedule; computes each window of a key once. */
function rememberedWindows(schedule: DialingSchedule): WindowRules {
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
