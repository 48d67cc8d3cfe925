import { longestProviderPauseMs } from '@outdial/core';

/** The wait after a refusal without a readable `Retry-After`. */
export const retryAfterDefaultMs = 5_000;
/** Without bounds, a gateway that answers "at once" would be asked in a tight loop, and one that answers "next year" would stop a campaign. */
export const retryAfterLeastMs = 1_000;
export const retryAfterMostMs = longestProviderPauseMs;

/** The wait that a `Retry-After` header asks for, in seconds or as an HTTP date (RFC 9110, section 10.2.3), within bounds. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  const asked = header === undefined ? null : parse(header.trim(), now);
  if (asked === null) return retryAfterDefaultMs;
  return Math.min(Math.max(asked, retryAfterLeastMs), retryAfterMostMs);
}

function parse(value: string, now: Date): number | null {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // HTTP dates begin with the name of a day. `Date.parse` would accept many other formats.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at - now.getTime();
}
