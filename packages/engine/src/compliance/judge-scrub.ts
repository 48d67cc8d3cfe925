import { scrubGoodUntil } from '@outdial/core';

/** Null if a gate may use a version of this instant. */
export function faultOfScrub(scrubbedAt: Date, goodForDays: number, now: Date): string | null {
  if (scrubbedAt > now) return 'scrubbed_at should not be in the future';
  if (scrubGoodUntil(scrubbedAt, goodForDays) <= now) {
    return `The version is older than the ${goodForDays} days for which it is good: obtain a newer one`;
  }
  return null;
}

export function faultOfOlder(newestAt: Date): string {
  return `The list already has a newer version, of ${newestAt.toISOString()}`;
}

/** @param how what to do if the version is right */
export function faultOfSmaller(
  { numbers, before }: { numbers: number; before: number | null },
  how: string,
): string {
  const than = before === null ? '' : `, after ${before} in the version before`;
  return `The version has ${numbers} numbers${than}. It would replace the list, and those people would be called, so it was refused. If it is right, ${how}`;
}
