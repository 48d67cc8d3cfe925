import { callingKeyOf, gateHours, neededConsent, placesOf, resolveKey, rulesVersion } from '@outdial/core';
import { findDirectCallee, type DirectCallee, type DirectTerms, type Executor } from '@outdial/db';
import { isAllowedDestination } from './destinations.ts';
import { directGrounds } from './gate-grounds.ts';

/**
 * When a direct call may be made (with the policy `none` at any time, else in the calling hours of its number), and whether its number may be
 * called. Null if the call is gone.
 */
export async function readDirectTerms(db: Executor, callId: string): Promise<DirectTerms | null> {
  const callee = await findDirectCallee(db, callId);
  if (callee === null) return null;
  const { organizationId, phoneNumber, settings } = callee;
  const { key, ...rules } = directRules(callee);
  const { hours, consent } = rules;
  const { calling_policy: callingPolicy } = settings;
  const groundsId = await directGrounds(db, organizationId, { callingPolicy, key, hours, consent });
  const isAllowed = isAllowedDestination(phoneNumber, settings);
  return { settings, ...rules, groundsId, isAllowedDestination: isAllowed };
}

/** What the rules say of a number that is called directly, and its calling key. */
export function directRules(callee: Pick<DirectCallee, 'phoneNumber' | 'purpose' | 'now' | 'settings'>) {
  const { phoneNumber, purpose, now, settings } = callee;
  const { calling_policy: callingPolicy } = settings;
  const key = callingKeyOf(callingPolicy, { phoneNumber }, 'UTC');
  return {
    key,
    hours: gateHours(key, now),
    caps: resolveKey(key).caps,
    consent: neededConsent(key, { callingPolicy, purpose }),
    rulesVersion: rulesVersion(),
    places: callingPolicy === 'none' ? null : jurisdictionsOf(phoneNumber),
  };
}

/** The regions of a number, and their countries. */
function jurisdictionsOf(phoneNumber: string): string[] {
  const regions = placesOf({ phoneNumber }).map(({ jurisdiction }) => jurisdiction);
  return [...new Set([...regions, ...regions.map((region) => region.slice(0, 2))])];
}
