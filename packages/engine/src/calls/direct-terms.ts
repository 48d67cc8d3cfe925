import { callingKeyOf, gateHours, type CallingPolicy } from '@outdial/core';
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
  const { key, hours } = directHours(callingPolicy, phoneNumber, now);
  const groundsId = await directGrounds(db, organizationId, { callingPolicy, key, hours });
  return { settings, hours, groundsId, isAllowedDestination: isAllowedDestination(phoneNumber, settings) };
}

/** The calling hours of a number that is called directly, and its calling key. */
export function directHours(callingPolicy: CallingPolicy, phoneNumber: string, now: Date) {
  const key = callingKeyOf(callingPolicy, { phoneNumber }, 'UTC');
  return { key, hours: gateHours(key, now) };
}
