import type { Swept } from '@outdial/core';
import { foldCampaignCounts as foldIn } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** One statement folds no more than this, so that it holds the rows of counts for a moment only. */
const foldedAtOnce = 5_000;

/** Adds what has changed to the counts of campaigns. */
export async function foldCampaignCounts(deps: ControlDeps): Promise<Swept> {
  const folded = await foldIn(deps.db, foldedAtOnce);
  return { done: folded, isFull: folded === foldedAtOnce };
}
