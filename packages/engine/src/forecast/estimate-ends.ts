import { performance } from 'node:perf_hooks';
import type { Swept } from '@outdial/core';
import { saveEstimate, takeDueEstimates, type DueEstimate } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { estimateEnd, outcomeRatesReader, type ReadOutcomeRates } from './forecast.ts';

const soonestMs = 10_000;
const latestMs = 15 * 60_000;
/** An estimate is renewed after a fiftieth of the remaining time, so that its error stays small in relation. */
const shareOfRest = 1 / 50;
/** Forecasts of a campaign use at most a hundredth of the time, so longer ones run less often. */
const restPerWork = 100;
const latestAfterWorkMs = 60 * 60_000;

/** Ten in twenty seconds, since more would take a noticeable share of the processor where thousands of campaigns wait. */
const forecastsAtOnce = 10;
export const betweenForecastsMs = 20_000;

type Deps = Pick<ControlDeps, 'db' | 'log'>;

/**
 * Forecasts the ends of the running campaigns whose estimates are most overdue. Progress reads the stored estimates, so reading them is cheap for any
 * list. Organizations take turns, and so do the campaigns of each.
 */
export async function estimateEnds(deps: Deps): Promise<Swept> {
  const due = await takeDueEstimates(deps.db, { limit: forecastsAtOnce });
  const ratesOf = outcomeRatesReader(deps.db);
  for (const one of due) await estimate(deps, one, ratesOf);
  return { done: due.length, isFull: due.length === forecastsAtOnce };
}

async function estimate({ db, log }: Deps, due: DueEstimate, ratesOf: ReadOutcomeRates): Promise<void> {
  const beganAtMs = performance.now();
  const end = await estimateEnd(db, due, ratesOf).catch((err: unknown) => {
    log.warn({ err, campaign_id: due.campaignId }, 'could not forecast the end of a campaign');
    return null;
  });
  const tookMs = performance.now() - beganAtMs;
  const nextInMs = nextEstimateInMs({ leftMs: end?.leftMs ?? latestMs, tookMs });
  await saveEstimate(db, { ...due, endsAt: end?.at ?? null, nextInMs, restsForMs: restAfterMs(tookMs) });
}

/** How long a campaign gets no other forecast, even if it changes. */
export function restAfterMs(tookMs: number): number {
  return Math.round(Math.max(soonestMs, Math.min(latestAfterWorkMs, tookMs * restPerWork)));
}

export function nextEstimateInMs({ leftMs, tookMs }: { leftMs: number; tookMs: number }): number {
  const wanted = Math.min(latestMs, Math.max(soonestMs, leftMs * shareOfRest));
  return Math.round(Math.max(wanted, restAfterMs(tookMs)));
}
