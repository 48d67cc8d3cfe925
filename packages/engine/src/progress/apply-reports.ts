import { inTransaction, type CampaignKey } from '@outdial/db';
import type { EndingDeps } from '../deps.ts';
import { enqueueLineWaiters } from '../enqueue.ts';
import type { CallReport } from './fold-facts.ts';
import { noteProviderProgress } from '../provider-health/provider-circuit.ts';
import { moveCalls, type Moved } from './move-calls.ts';
import type { CallTimes } from './next-check.ts';

export interface ProgressDeps extends EndingDeps {
  settings: CallTimes;
}

/** Applies reports, at most one per call, in a new transaction. Returns how many calls ended. */
export async function applyReports(deps: ProgressDeps, reports: readonly CallReport[]): Promise<number> {
  const { ended } = await apply(deps, reports, { waits: true });
  return ended;
}

/** The same, but leaves out the calls of campaigns that a change holds. Returns these campaigns by call. */
export async function applyUnlessHeld(
  deps: ProgressDeps,
  reports: readonly CallReport[],
): Promise<ReadonlyMap<string, CampaignKey>> {
  const { held } = await apply(deps, reports, { waits: false });
  return held;
}

async function apply(
  deps: ProgressDeps,
  reports: readonly CallReport[],
  options: { waits: boolean },
): Promise<Moved> {
  const done = await inTransaction(deps.db, (tx) => moveCalls(tx, deps, reports, options));
  for (const [provider, wasProbe] of done.progressed) {
    await noteProviderProgress(deps, { provider, wasProbe });
  }
  const woken = await done.released.woken;
  const { lineWaiters } = done.released;
  await enqueueLineWaiters(deps, lineWaiters, ...woken);
  return done;
}
