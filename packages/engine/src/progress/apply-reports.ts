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
  /** Known calls, changed or not. */
  known: number;
  changed: number;
  ended: number;
}

/** Moves calls forward by what was reported of them, in a transaction of its own. At most one report a call in a batch. */
export async function applyReports(deps: ProgressDeps, reports: readonly CallReport[]): Promise<Applied> {
  const done = await inTransaction(deps.db, (tx) => moveCalls(tx, deps.settings, reports));
  countMoved(deps.metrics, done);
  const woken = await done.released.woken;
  const { lineWaiters } = done.released;
  await enqueueLineWaiters(deps, { ...lineWaiters, campaignIds: [...woken, ...lineWaiters.campaignIds] });
  return { known: done.known, changed: done.changed, ended: done.ended.length };
}
