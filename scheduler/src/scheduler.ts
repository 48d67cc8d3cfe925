import { startSweeps } from '@outdial/runtime';
import { sweeps, type SweepDeps } from './sweeps.ts';

export interface SchedulerDeps extends SweepDeps {
  /** Called after a round of a sweep with the number of its repairs. */
  onRepaired?: (sweep: string, count: number) => void;
  /** Called after a round of a sweep that failed. */
  onFailed?: (sweep: string, count: number) => void;
}

export interface RunningScheduler {
  stop(): Promise<void>;
}

/** Starts every sweep. Any number of schedulers may run: each skips the rows that another one has locked. */
export function startScheduler({ onRepaired, onFailed, ...deps }: SchedulerDeps): RunningScheduler {
  return startSweeps(sweeps, {
    deps,
    log: deps.log,
    ...(onRepaired && { onRepaired }),
    ...(onFailed && { onFailed }),
  });
}
