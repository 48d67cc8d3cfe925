import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { SharedCounter } from './shared-rate.ts';

/** Counts in this process only. */
export function memoryCounter(): SharedCounter {
  return new RateLimiterMemory({ points: 2_000_000_000, duration: 60 });
}
