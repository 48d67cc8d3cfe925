import { createHmac, timingSafeEqual } from 'node:crypto';

export type CallbackTopic = 'status' | 'machine' | 'recording';

export interface CallbackAddress {
  topic: CallbackTopic;
  callId: string;
  /** A machine that answers is hung up on. */
  hangsUp: boolean;
}

/**
 * A delivery that was not answered with success is repeated, up to five times within fifteen seconds:
 * https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides
 */
export const deliveryOverrides = '#rc=5&rp=all';

/** Where Twilio tells about a call; the query is what names it, and is signed with the rest. */
export function callbackUrl(
  settings: { eventsUrl: string; authToken: string },
  address: CallbackAddress,
): string {
  const query = new URLSearchParams({ topic: address.topic, call_id: address.callId });
  if (address.hangsUp) query.set('hang_up', '1');
  query.set('key', keyOf(settings.authToken, address));
  return `${settings.eventsUrl}?${query.toString()}${deliveryOverrides}`;
}

/**
 * Whether the address was made here. Twilio signs everything that it sends from an account, and the account's calls may run instructions of
 * an organization's own, which could name the address of another organization's call.
 */
export function isOwnAddress(authToken: string, address: CallbackAddress, key: string): boolean {
  const expected = Buffer.from(keyOf(authToken, address));
  const given = Buffer.from(key);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function keyOf(authToken: string, { topic, callId, hangsUp }: CallbackAddress): string {
  const text = `outdial callback ${topic} ${callId} ${hangsUp}`;
  return createHmac('sha256', authToken).update(text).digest('base64url').slice(0, 32);
}
