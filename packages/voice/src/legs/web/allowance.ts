import { lineRate } from '../../audio/mu-law.ts';

/** Ten seconds of audio: a network may delay that much before the call counts as lost. */
const most = 10 * lineRate;
/** A quarter faster than real time, because clocks differ and delayed audio has to catch up. */
const perMs = (1.25 * lineRate) / 1_000;
/** A message costs at least as much as 10 ms of audio. */
const least = 80;
/** Allows a hundred messages at once, then twelve a second. */
const textCost = 800;
/** Allows a long number at once, then one key a second. */
const keysAtOnce = 24;
const msAKey = 1_000;

/** Limits what one page may send: audio in real time with some allowance for catching up, and a few messages. */
export function createAllowance(startedAt: number) {
  let left = most;
  let at = startedAt;
  let keysLeft = keysAtOnce;
  let keysAt = startedAt;
  return {
    takes(kind: 'audio' | 'text', bytes: number, now: number): boolean {
      left = Math.min(most, left + Math.max(0, now - at) * perMs);
      at = now;
      left -= kind === 'text' ? textCost : Math.max(least, bytes);
      return left >= 0;
    },
    /** Keys have a lower limit, because each answer to them asks a model. */
    takesKey(now: number): boolean {
      keysLeft = Math.min(keysAtOnce, keysLeft + Math.max(0, now - keysAt) / msAKey);
      keysAt = now;
      if (keysLeft < 1) return false;
      keysLeft -= 1;
      return true;
    },
  };
}
