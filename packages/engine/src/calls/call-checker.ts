import type { LocalTimers } from '../local-timers.ts';

/** Looks calls up when something new is to be learned of them, many at once. */
export interface CallChecker {
  /** Looks a call up in a while; lost with the process, and then found by the sweep of overdue calls. */
  checkIn(callId: string, delayMs: number): void;
  /** Looks calls up now. */
  check(callIds: readonly string[]): Promise<void>;
}

/** Calls that are due within this are looked up together. */
const gatherMs = 5;
const batchAtMost = 500;

export function createCallChecker(args: {
  timers: LocalTimers;
  check: (callIds: readonly string[]) => Promise<void>;
}): CallChecker {
  const due = new Set<string>();

  async function flush(): Promise<void> {
    const batch = [...due].slice(0, batchAtMost);
    for (const callId of batch) due.delete(callId);
    if (due.size > 0) args.timers.set('check calls', 0, flush);
    if (batch.length > 0) await args.check(batch);
  }

  return {
    checkIn(callId, delayMs) {
      args.timers.set(`check ${callId}`, delayMs, async () => {
        const isFirst = due.size === 0;
        due.add(callId);
        if (isFirst) args.timers.set('check calls', gatherMs, flush);
      });
    },
    check: args.check,
  };
}
