import type { ControlDeps } from '@outdial/engine';
import { startLoop } from '@outdial/runtime';
import { sweeps, type Sweep } from './sweeps/index.ts';

export interface SchedulerDeps extends Omit<ControlDeps, 'log'> {
  log: ControlDeps['log'];
  /** Told what a round of a sweep has put right. */
  onRepaired?: (sweep: string, count: number) => void;
  furtherSweeps?: readonly Sweep[];
}

export interface RunningScheduler {
  stop(): Promise<void>;
}

/** Starts a loop for each sweep. Any number of schedulers may run: what one takes, the others skip. */
export function startScheduler(deps: SchedulerDeps): RunningScheduler {
  const loops = [...sweeps, ...(deps.furtherSweeps ?? [])].map((sweep) =>
    startLoop({
      name: sweep.name,
      log: deps.log,
      runOnce: async () => {
        const result = await sweep.runOnce(deps);
        if (result.repaired > 0) deps.onRepaired?.(sweep.name, result.repaired);
        return result;
      },
      waitMs: (result) => result.waitMs,
    }),
  );
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
