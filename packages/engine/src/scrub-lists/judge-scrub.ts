import { scrubGoodUntil } from '@outdial/core';

/** The fault of a version's instant: it is too old for any gate, or in the future. Null if it is valid. */
export function faultOfScrub(scrubbedAt: Date, now: Date): string | null {
  if (scrubbedAt > now) return 'scrubbed_at should not be in the future';
  if (scrubGoodUntil(scrubbedAt) <= now) return 'The version is older than 31 days: obtain a newer one';
  return null;
}

/** What is wrong with a version where a newer one is complete. */
export function faultOfOlder(newestAt: Date): string {
  return `The list has a newer version, of ${newestAt.toISOString()}`;
}
