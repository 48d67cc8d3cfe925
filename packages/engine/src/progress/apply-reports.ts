import { inTransaction } from '@outdial/db';
import type { ControlDeps, EngineMetrics } from '../deps.ts';
import { enqueueLineWaiters } from '../enqueue.ts';
import type { CallReport } from './fold-facts.ts';
import { countMoved } from './count-moved.ts';
import { moveCalls } from './move-calls.ts';
import type { CallTimes } from './next-check.ts';

export interface ProgressDeps extends ControlDeps {
  settings: CallTimes;
  metrics: Pick<EngineMetrics, 'callEnded' | 'callAnswered'>;
}

/** Applies reports, at most one per call, in a new transaction. Returns how many calls ended. */
export async function applyReports(deps: ProgressDeps, reports: readonly CallReport[]): Promise<number> {
  const done = await inTransaction(deps.db, (tx) => moveCalls(tx, deps.settings, reports));
  countMoved(deps.metrics, done);
  const woken = await done.released.woken;
  const { lineWaiters } = done.released;
  await enqueueLineWaiters(deps, lineWaiters, ...woken);
  return done.ended.length;
}
