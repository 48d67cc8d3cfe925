import { startSweeps, type SweepObserver } from '@outdial/runtime';
import { sweeps, type SweepDeps } from './sweeps.ts';

/** Starts every sweep. Any number of schedulers may run: each skips the rows that another one has locked. */
export function startScheduler(deps: SweepDeps & SweepObserver): { stop(): Promise<void> } {
  return startSweeps(sweeps, { ...deps, deps });
}
