import type { Clock } from '@outdial/core';

/** The machine's clock; the only place that reads it. */
export const systemClock: Clock = { now: () => new Date() };
