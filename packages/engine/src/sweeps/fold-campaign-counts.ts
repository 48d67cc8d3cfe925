import { foldCampaignCounts as foldIn } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** One statement folds no more than this, so that it holds the rows of counts for a moment only. */
const foldedAtOnce = 5_000;

/** Adds what has changed to the counts of campaigns; `more` says whether some is left. */
export async function foldCampaignCounts(deps: ControlDeps): Promise<{ folded: number; more: boolean }> {
  const folded = await foldIn(deps.db, foldedAtOnce);
  return { folded, more: folded === foldedAtOnce };
}
