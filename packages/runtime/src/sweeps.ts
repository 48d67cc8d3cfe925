import type { Sweep, Swept } from '@outdial/core';
import { startLoop } from './loop.ts';

/** Both are called with 0 at the start, so that counters show the first repair or failure as an increase. */
export interface SweepObserver {
  /** Called after a round with the number of its repairs. */
  onRepaired?: (sweep: string, count: number) => void;
  /** Called with 1 after a round that failed. */
  onFailed?: (sweep: string, count: number) => void;
}

/** Asks which of these sweeps may have work. */
export type FindDue = (names: readonly string[]) => Promise<ReadonlySet<string>>;

export interface SweepOptions<Deps> extends SweepObserver {
  deps: Deps;
  /** Sweeps that run only if this finds them due. They are asked for together, so that an idle service makes few queries. */
  asked?: { names: ReadonlySet<string>; findDue: FindDue };
  log: { error(fields: object, message: string): void };
}

/** At the start, sweeps that run at most once a minute leave the database connections to those on which calls depend. */
const isRare = (everyMs: number) => everyMs >= 60_000;
const rareFirstAfterMs = 5_000;

/** Runs each sweep in a separate loop, never twice at the same time in this process. The next batch follows a full one at once, to work off a backlog quickly. */
export function startSweeps<Deps>(
  sweeps: ReadonlyArray<Sweep<Deps>>,
  { deps, log, asked, onRepaired, onFailed }: SweepOptions<Deps>,
): { stop(): Promise<void> } {
  const isDue = asked && askTogether(asked.findDue);
  for (const { name, isRoutine } of sweeps) {
    if (!isRoutine) onRepaired?.(name, 0);
    onFailed?.(name, 0);
  }
  const loops = sweeps.map((sweep) => {
    const asks = asked?.names.has(sweep.name) ? isDue : undefined;
    // At the start, after a full batch, and when the time of the next work is known, it is due.
    let isKnownDue = true;
    return startLoop({
      name: sweep.name,
      log,
      async runOnce() {
        if (asks && !isKnownDue && !(await asks(sweep.name))) return nothing;
        isKnownDue = true;
        const swept = await sweep.run(deps);
        isKnownDue = swept.isFull || (swept.nextInMs ?? sweep.everyMs) < sweep.everyMs;
        if (swept.done > 0 && !sweep.isRoutine) onRepaired?.(sweep.name, swept.done);
        return swept;
      },
      firstAfterMs: isRare(sweep.everyMs) ? rareFirstAfterMs : 0,
      ...(onFailed && { onFailure: () => onFailed(sweep.name, 1) }),
      waitMs: ({ isFull, nextInMs = Infinity }) =>
        isFull
          ? (sweep.betweenFullMs ?? 0)
          : Math.max(0, Math.min(nextInMs, asks ? untilNext(sweep.everyMs) : sweep.everyMs)),
    });
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

const nothing: Swept = { done: 0, isFull: false };
/** Timers of the same instant end this far apart at most. */
const togetherMs = 3;

/** Until the next multiple of `everyMs`, so that sweeps ask at the same instants. */
function untilNext(everyMs: number): number {
  const sinceMs = (performance.now() + togetherMs) % everyMs;
  return Math.ceil(everyMs - sinceMs + togetherMs);
}

/** Collects the questions of an instant, and asks once. Without an answer all are due: each then fails or works by itself. */
function askTogether(findDue: FindDue): (name: string) => Promise<boolean> {
  let together: { names: string[]; due: Promise<ReadonlySet<string>> } | undefined;
  return async (name) => {
    if (together === undefined) {
      const names: string[] = [];
      const due = new Promise((resolve) => setTimeout(resolve, togetherMs)).then(() => {
        together = undefined;
        return findDue(names);
      });
      together = { names, due };
    }
    together.names.push(name);
    const { due } = together;
    return due.then(
      (found) => found.has(name),
      () => true,
    );
  };
}
