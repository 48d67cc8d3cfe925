import { Batcher } from '@outdial/core';
import type { LocalTimers } from '../local-timers.ts';

/** Looks up calls in batches when the provider may have news. */
export interface CallChecker {
  /** Looks up a call after a delay. If the process dies first, a sweep does. */
  checkIn(callId: string, delayMs: number): void;
  check(callIds: readonly string[]): Promise<void>;
}

/** Calls that are due within this time form a batch. */
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
    // Not awaited, because a slow provider must not delay later batches.
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
