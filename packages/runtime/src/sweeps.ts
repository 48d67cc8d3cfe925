import type { Sweep } from '@outdial/core';
import { startLoop } from './loop.ts';

/** Both are called with 0 at the start, so that counters show the first repair or failure as an increase. */
export interface SweepObserver {
  /** Called after a round with the number of its repairs. */
  onRepaired?: (sweep: string, count: number) => void;
  /** Called with 1 after a round that failed. */
  onFailed?: (sweep: string, count: number) => void;
}

export interface SweepOptions<Deps> extends SweepObserver {
  deps: Deps;
  log: { error(fields: object, message: string): void };
}

/** At the start, sweeps that run at most once a minute leave the database connections to those on which calls depend. */
const isRare = (everyMs: number) => everyMs >= 60_000;
const rareFirstAfterMs = 5_000;

/**
 * Runs each sweep in a separate loop, never twice at the same time in this process. The next batch follows a full one at once, to work off
 * a backlog quickly.
 */
export function startSweeps<Deps>(
  sweeps: ReadonlyArray<Sweep<Deps>>,
  { deps, log, onRepaired, onFailed }: SweepOptions<Deps>,
): { stop(): Promise<void> } {
  for (const { name, isRoutine } of sweeps) {
    if (!isRoutine) onRepaired?.(name, 0);
    onFailed?.(name, 0);
  }
  const loops = sweeps.map((sweep) =>
    startLoop({
      name: sweep.name,
      log,
      async runOnce() {
        const swept = await sweep.run(deps);
        if (swept.done > 0 && !sweep.isRoutine) onRepaired?.(sweep.name, swept.done);
        return swept;
      },
      firstAfterMs: isRare(sweep.everyMs) ? rareFirstAfterMs : 0,
      ...(onFailed && { onFailure: () => onFailed(sweep.name, 1) }),
      waitMs: ({ isFull, nextInMs = sweep.everyMs }) =>
        isFull ? (sweep.betweenFullMs ?? 0) : Math.max(0, Math.min(nextInMs, sweep.everyMs)),
    }),
  );
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
