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

export interface Applied {
  /** The number of known calls, changed or not. */
  known: number;
  changed: number;
  ended: number;
}

/** Applies reports to their calls in a new transaction. A batch has at most one report a call. */
export async function applyReports(deps: ProgressDeps, reports: readonly CallReport[]): Promise<Applied> {
  const done = await inTransaction(deps.db, (tx) => moveCalls(tx, deps.settings, reports));
  countMoved(deps.metrics, done);
  const woken = await done.released.woken;
  const { lineWaiters } = done.released;
  await enqueueLineWaiters(deps, { ...lineWaiters, campaignIds: [...woken, ...lineWaiters.campaignIds] });
  return { known: done.known, changed: done.changed, ended: done.ended.length };
}
