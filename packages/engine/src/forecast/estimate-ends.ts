import { performance } from 'node:perf_hooks';
import type { Swept } from '@outdial/core';
import { engineNow, saveEstimate, takeDueEstimate } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { estimateEnd } from './forecast.ts';

const soonestMs = 10_000;
const latestMs = 15 * 60_000;
/** An estimate is renewed after a fiftieth of the remaining time, so that its error stays small in relation. */
const shareOfRest = 1 / 50;
/** Forecasts of a campaign use at most a hundredth of the time, so longer ones run less often. */
const restPerWork = 100;
const latestAfterWorkMs = 60 * 60_000;

/**
 * Forecasts the end of the running campaign whose estimate is most overdue. Progress reads the stored estimate, so reading it is cheap for any
 * list. Organizations take turns, and so do the campaigns of each.
 */
export async function estimateEnds({ db, log }: Pick<ControlDeps, 'db' | 'log'>): Promise<Swept> {
  const due = await takeDueEstimate(db);
  if (due === null) return { done: 0, isFull: false };
  const beganAtMs = performance.now();
  const endsAt = await estimateEnd(db, due).catch((err: unknown) => {
    log.warn({ err, campaign_id: due.campaignId }, 'could not forecast the end of a campaign');
    return null;
  });
  const tookMs = performance.now() - beganAtMs;
  const leftMs = endsAt === null ? latestMs : endsAt.getTime() - (await engineNow(db)).getTime();
  const nextInMs = nextEstimateInMs({ leftMs, tookMs });
  await saveEstimate(db, { ...due, endsAt, nextInMs, restsForMs: restAfterMs(tookMs) });
  return { done: 1, isFull: true };
}

/** How long a campaign gets no other forecast, even if it changes. */
export function restAfterMs(tookMs: number): number {
  return Math.round(Math.max(soonestMs, Math.min(latestAfterWorkMs, tookMs * restPerWork)));
}

export function nextEstimateInMs({ leftMs, tookMs }: { leftMs: number; tookMs: number }): number {
  const wanted = Math.min(latestMs, Math.max(soonestMs, leftMs * shareOfRest));
  return Math.round(Math.max(wanted, restAfterMs(tookMs)));
}
