import { callingKeyOf, gateHours, placesOf, resolveKey, type CallingPolicy } from '@outdial/core';
import { findDirectCallee, type DirectTerms, type Executor } from '@outdial/db';
import { isAllowedDestination } from '../limits/destinations.ts';
import { directGrounds } from './gate-grounds.ts';

/**
 * When a direct call may be made (with the policy `none` at any time, else in the calling hours of its number), and whether its number may be
 * called. Null if the call is gone.
 */
export async function readDirectTerms(db: Executor, callId: string): Promise<DirectTerms | null> {
  const callee = await findDirectCallee(db, callId);
  if (callee === null) return null;
  const { organizationId, phoneNumber, settings, now } = callee;
  const { callingPolicy } = settings;
  const { key, hours, caps, places } = directHours(callingPolicy, phoneNumber, now);
  const groundsId = await directGrounds(db, organizationId, { callingPolicy, key, hours });
  const isAllowed = isAllowedDestination(phoneNumber, settings);
  return { settings, hours, caps, places, groundsId, isAllowedDestination: isAllowed };
}

/** The calling hours, caps and places of a number that is called directly, and its calling key. */
export function directHours(callingPolicy: CallingPolicy, phoneNumber: string, now: Date) {
  const key = callingKeyOf(callingPolicy, { phoneNumber }, 'UTC');
  return {
    key,
    hours: gateHours(key, now),
    caps: resolveKey(key).caps,
    places: callingPolicy === 'none' ? null : jurisdictionsOf(phoneNumber),
  };
}

/** The regions of a number, and their countries. */
function jurisdictionsOf(phoneNumber: string): string[] {
  const regions = placesOf({ phoneNumber }).map(({ jurisdiction }) => jurisdiction);
  return [...new Set([...regions, ...regions.map((region) => region.slice(0, 2))])];
}
