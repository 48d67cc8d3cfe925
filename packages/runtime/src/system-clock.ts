import type { Clock } from '@outdial/core';

/** The only place that reads the machine's clock. */
export const systemClock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };
