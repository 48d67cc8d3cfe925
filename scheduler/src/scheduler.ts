import { askedSweeps, findDue } from '@outdial/db';
import { startSweeps, type SweepObserver } from '@outdial/runtime';
import { sweeps, type SweepDeps } from './sweeps.ts';

/** Starts every sweep. Any number of schedulers may run: each skips the rows that another one has locked. */
export function startScheduler(deps: SweepDeps & SweepObserver): { stop(): Promise<void> } {
  const asked = { names: askedSweeps, findDue: (names: readonly string[]) => findDue(deps.db, names) };
  return startSweeps(sweeps, { ...deps, deps, asked });
}
