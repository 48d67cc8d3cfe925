import { inTransaction } from '@outdial/db';
import type { EndingDeps } from '../deps.ts';
import { enqueueLineWaiters } from '../enqueue.ts';
import type { CallReport } from './fold-facts.ts';
import { noteProviderProgress } from '../provider-health/provider-circuit.ts';
import { moveCalls } from './move-calls.ts';
import type { CallTimes } from './next-check.ts';

export interface ProgressDeps extends EndingDeps {
  settings: CallTimes;
}

/** Applies reports, at most one per call, in a new transaction. Returns how many calls ended. */
export async function applyReports(deps: ProgressDeps, reports: readonly CallReport[]): Promise<number> {
  const done = await inTransaction(deps.db, (tx) => moveCalls(tx, deps, reports));
  for (const [provider, wasProbe] of done.progressed) {
    await noteProviderProgress(deps, { provider, wasProbe });
  }
  const woken = await done.released.woken;
  const { lineWaiters } = done.released;
  await enqueueLineWaiters(deps, lineWaiters, ...woken);
  return done.ended;
}
