import { scrubGoodUntil } from '@outdial/core';

/** What is wrong with the instant of a version: no gate would open by it, or it has not been. Null where nothing is. */
export function faultOfScrub(scrubbedAt: Date, now: Date): string | null {
  if (scrubbedAt > now) return 'scrubbed_at should not be in the future';
  if (scrubGoodUntil(scrubbedAt) <= now) {
    return 'The version is older than 31 days: obtain a newer one';
  }
  return null;
}

/** What is wrong with a version where a newer one is complete. */
export function faultOfOlder(newestAt: Date): string {
  return `The list has a newer version, of ${newestAt.toISOString()}`;
}
