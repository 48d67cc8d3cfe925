import { performance } from 'node:perf_hooks';
import type { Swept } from '@outdial/core';
import { engineNow, saveEstimate, takeDueEstimate } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { estimateEnd } from './forecast.ts';

const soonestMs = 10_000;
const latestMs = 15 * 60_000;
/** An estimate is made again after a fiftieth of the time that it says is left, so that it is never off by much of it. */
const shareOfRest = 1 / 50;
/** What forecasting a campaign may take of the time: a long list takes longer, and is forecast less often. */
const restPerWork = 100;
const latestAfterWorkMs = 60 * 60_000;

/**
 * Forecasts the end of the running campaign whose estimate is most overdue. Progress reads what is kept here, so its cost does not follow
 * the length of a list. One campaign a round: organizations take turns, and so do the campaigns of each.
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

/** How long a campaign is left alone after a forecast, whatever changes: a hundred times what it took. */
export function restAfterMs(tookMs: number): number {
  return Math.round(Math.max(soonestMs, Math.min(latestAfterWorkMs, tookMs * restPerWork)));
}

/** @param tookMs what the last forecast took, of which the next one is kept a hundredfold away, an hour at most */
export function nextEstimateInMs({ leftMs, tookMs }: { leftMs: number; tookMs: number }): number {
  const wanted = Math.min(latestMs, Math.max(soonestMs, leftMs * shareOfRest));
  return Math.round(Math.max(wanted, restAfterMs(tookMs)));
}
