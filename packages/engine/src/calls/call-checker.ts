import { Batcher } from '@outdial/core';
import type { LocalTimers } from '../local-timers.ts';

/** Looks calls up, many at once, when the provider may have news of them. */
export interface CallChecker {
  /** Looks a call up after a delay. If the process dies first, the sweep of overdue calls finds the call. */
  checkIn(callId: string, delayMs: number): void;
  /** Looks calls up now. */
  check(callIds: readonly string[]): Promise<void>;
}

/** Calls that become due within this time are looked up together. */
const gatherMs = 5;
const batchAtMost = 500;

export function createCallChecker(args: {
  timers: LocalTimers;
  check: (callIds: readonly string[]) => Promise<void>;
  onError: (error: unknown) => void;
}): CallChecker {
  const due = new Batcher<string, void>({
    atMost: batchAtMost,
    gatherMs,
    // Batches run concurrently: a slow provider must not delay later calls.
    run(callIds) {
      args.check(callIds).catch(args.onError);
      return Promise.resolve(callIds.map(() => undefined));
    },
  });
  return {
    checkIn: (callId, delayMs) => args.timers.set(`check ${callId}`, delayMs, () => due.add(callId)),
    check: args.check,
  };
}
