import { scrubGoodUntil } from '@outdial/core';

/** Null if a gate may use a version of this instant. */
export function faultOfScrub(scrubbedAt: Date, now: Date): string | null {
  if (scrubbedAt > now) return 'scrubbed_at should not be in the future';
  if (scrubGoodUntil(scrubbedAt) <= now) return 'The version is older than 31 days: obtain a newer one';
  return null;
}

export function faultOfOlder(newestAt: Date): string {
  return `The list already has a newer version, of ${newestAt.toISOString()}`;
}
