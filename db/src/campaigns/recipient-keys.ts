import { callingKeyOf, type CallingKey, type CallingPolicy } from '@outdial/core';
import type { StoredPlace } from '../schema/campaigns.ts';
import type { RecipientDetails } from './recipient-details.ts';

/** The calling key of a recipient; null for the campaign's zone, which only applies without a policy. */
export function recipientKey(
  policy: CallingPolicy,
  phoneNumber: string,
  own: RecipientDetails | undefined,
): CallingKey | null {
  const timezone = own?.timezone ?? undefined;
  if (policy === 'none') return timezone ?? null;
  const { region, postalCode } = own ?? {};
  return callingKeyOf(policy, { phoneNumber, timezone, region, postalCode }, '');
}

/** The location to store. A new policy or zone of the campaign recomputes the key from it. */
export function placeJson(own: RecipientDetails | undefined): string | null {
  if (own === undefined) return null;
  const { timezone, region, postalCode } = own;
  if (timezone === null && region === undefined && postalCode === undefined) return null;
  const place: StoredPlace = { timezone: timezone ?? undefined, region, postal_code: postalCode };
  return JSON.stringify(place);
}
