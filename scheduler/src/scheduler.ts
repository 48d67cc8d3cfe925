import { startSweeps } from '@outdial/runtime';
import { sweeps, type SweepDeps } from './sweeps.ts';

export interface SchedulerDeps extends SweepDeps {
  /** Told what a round of a sweep has repaired. */
  onRepaired?: (sweep: string, count: number) => void;
  /** Told of a round of a sweep that ended in an error. */
  onFailed?: (sweep: string, count: number) => void;
}

export interface RunningScheduler {
  stop(): Promise<void>;
}

/** Starts every sweep. Any number of schedulers may run: what one takes, the others skip. */
export function startScheduler({ onRepaired, onFailed, ...deps }: SchedulerDeps): RunningScheduler {
  return startSweeps(sweeps, {
    deps,
    log: deps.log,
    ...(onRepaired && { onRepaired }),
    ...(onFailed && { onFailed }),
  });
}
