import { lineRate } from '../../audio/mu-law.ts';

/** What one page may send: sound as fast as it is spoken, with some to catch up on, and a few messages beside it. */
export interface Allowance {
  takes(kind: 'sound' | 'text', bytes: number, now: number): boolean;
  /** A key besides, since the agent may ask a model what it means. */
  takesKey(now: number): boolean;
}

/** Ten seconds, which a network may hold back before the call counts as lost. */
const most = 10 * lineRate;
/** A quarter more than is spoken: clocks differ, and what was held back is caught up on. */
const perMs = (1.25 * lineRate) / 1_000;
/** A message costs at least as much as 10 ms of sound. */
const least = 80;
/** Twelve in a second for ever, a hundred at once. */
const textCost = 800;
/** A long number, typed at once; after that one a second. */
const keysAtOnce = 24;
const msAKey = 1_000;

export function createAllowance(startedAt: number): Allowance {
  let left = most;
  let at = startedAt;
  let keysLeft = keysAtOnce;
  let keysAt = startedAt;
  return {
    takes(kind, bytes, now) {
      left = Math.min(most, left + Math.max(0, now - at) * perMs);
      at = now;
      left -= kind === 'text' ? textCost : Math.max(least, bytes);
      return left >= 0;
    },
    takesKey(now) {
      keysLeft = Math.min(keysAtOnce, keysLeft + Math.max(0, now - keysAt) / msAKey);
      keysAt = now;
      if (keysLeft < 1) return false;
      keysLeft -= 1;
      return true;
    },
  };
}
