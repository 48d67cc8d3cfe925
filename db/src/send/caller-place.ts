import type { CallerPlace } from '@outdial/core';
import type { StoredPlace } from '../schema/campaigns.ts';

/** The location that the caller gave for the recipient of a call. */
export function callerPlace(stored: StoredPlace | null): CallerPlace {
  return { timezone: stored?.timezone, region: stored?.region, postalCode: stored?.postal_code };
}
