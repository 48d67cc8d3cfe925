import { Batcher } from '@outdial/core';
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
  onError: (error: unknown) => void;
}): CallChecker {
  const due = new Batcher<string, void>({
    atMost: batchAtMost,
    gatherMs,
    // Batches are looked up beside one another: a slow provider must not delay the calls that come after.
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
