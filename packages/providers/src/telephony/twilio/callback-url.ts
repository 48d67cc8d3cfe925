import { createHmac, timingSafeEqual } from 'node:crypto';

export type CallbackTopic = 'status' | 'machine' | 'recording';

export interface CallbackAddress {
  topic: CallbackTopic;
  callId: string;
  /** The call is hung up if a machine answers. */
  hangsUp: boolean;
}

/** Twilio repeats a delivery that fails, up to five times within fifteen seconds: https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides */
export const deliveryOverrides = '#rc=5&rp=all';

/** The address to which Twilio sends the events of a call. The query names the call, and Twilio's signature covers it. */
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
 * Whether Outdial made this address. Twilio signs everything that it sends for an account. An organization may have its own instructions for its calls,
 * and these could name the callback address of another organization's call.
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
