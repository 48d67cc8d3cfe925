import type { Sweep } from '@outdial/core';
import { startLoop } from './loop.ts';

export interface SweepOptions<Deps> {
  deps: Deps;
  log: { error(fields: object, message: string): void };
  /** Told what a round has repaired; of 0 at the start, so that a counter of the first repair has a value to have risen from. */
  onRepaired?: (sweep: string, count: number) => void;
  /** Told of rounds that ended in an error, one at a time, and of 0 at the start. The next round comes after a longer pause. */
  onFailed?: (sweep: string, count: number) => void;
}

/** What is done once a minute or less often can wait a moment: a process that begins has its connections for what calls wait for. */
const isLeisurely = (everyMs: number) => everyMs >= 60_000;
const leisurelyFirstAfterMs = 5_000;

/**
 * Runs each sweep in a loop of its own, never twice at the same time in this process. A full batch is followed by the next one at once, so a
 * backlog of any size is worked off as fast as Postgres can.
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
      firstAfterMs: isLeisurely(sweep.everyMs) ? leisurelyFirstAfterMs : 0,
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
