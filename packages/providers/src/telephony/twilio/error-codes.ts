import type { Outcome } from '@outdial/core';

/** The effect of a Twilio error on a call. */
export type ErrorMeaning =
  /** The number's: the attempt ends with this outcome. */
  | { kind: 'outcome'; outcome: Extract<Outcome, 'invalid_number' | 'failed'>; about: string }
  /** A capacity's: the account pauses for this time, and no attempt is used. */
  | { kind: 'defer'; waitMs: number; about: string }
  /** Nobody was dialed, and no attempt is used. */
  | { kind: 'misconfigured'; side: ConfigurationSide; about: string; remedy: string };

/** The caller id and the instructions may be those of an agent, whose fault must not stop the calls of others. */
export type ConfigurationSide = 'account' | 'caller_id' | 'instructions';

/** A line, or capacity in Twilio's queue, may be free again soon. */
const capacityMs = 5_000;
const fullQueueMs = 60_000;

const invalidNumber = (about: string): ErrorMeaning => ({
  kind: 'outcome',
  outcome: 'invalid_number',
  about,
});
const failed = (about: string): ErrorMeaning => ({ kind: 'outcome', outcome: 'failed', about });
const defer = (waitMs: number, about: string): ErrorMeaning => ({ kind: 'defer', waitMs, about });
const wrong =
  (side: ConfigurationSide) =>
  (about: string, remedy: string): ErrorMeaning => ({ kind: 'misconfigured', side, about, remedy });
const account = wrong('account');
const callerId = wrong('caller_id');
const instructions = wrong('instructions');

const checkCredentials = "check the provider's auth token (TWILIO_AUTH_TOKEN) or API key";
const checkAccount = "check the provider's account (TWILIO_ACCOUNT_SID) and region";
const reactivate = 'reactivate the account at Twilio: check its balance';

/** By Twilio's error codes (https://www.twilio.com/docs/api/errors). docs/twilio.md shows the same table, and a test compares the two. */
export const errorCodes: Readonly<Record<number, ErrorMeaning>> = {
  10001: account('account is not active', reactivate),
  10002: account('trial account does not support the feature', 'upgrade the account at Twilio'),
  10004: defer(capacityMs, 'call concurrency limit exceeded'),
  10005: account('voice calling has been disabled for the account', "ask Twilio's support to enable it"),
  13223: invalidNumber('number format is not valid'),
  13224: invalidNumber('number is not supported, or not valid'),
  13225: failed('number is blocked by Twilio'),
  13226: invalidNumber('country code is not valid'),
  13227: failed('geographic permissions do not permit the call'),
  20003: account('credentials are not right', checkCredentials),
  20005: account('account is not active', reactivate),
  20006: account('access denied', "give the provider's API key the permission to make calls"),
  20403: account('account lacks permission', reactivate),
  20404: account('account was not found', checkAccount),
  20429: defer(capacityMs, 'too many requests'),
  21201: failed('no number to call'),
  21202: failed('premium or emergency number'),
  21203: failed('international calling is not enabled'),
  21205: instructions('address of the instructions is not valid', 'correct telephony.voice.url'),
  21210: callerId('caller id is not verified', 'verify the caller id at Twilio, or use another one'),
  21211: invalidNumber('number is not valid'),
  21212: callerId('caller id is not valid', 'use a caller id that the account has or has verified'),
  21213: callerId('no caller id', 'set from_phone, or TWILIO_FROM'),
  21214: failed('number cannot be reached'),
  21215: failed('geographic permissions do not permit the call'),
  21216: failed('call is blocked by Twilio'),
  21217: invalidNumber('number does not appear to be valid'),
  21219: failed('number is not verified, and the account is on trial'),
  21609: account(
    'address of status callbacks is not valid',
    'check PUBLIC_URL, which Twilio must reach over HTTPS',
  ),
  21626: account('events of status callbacks are not valid', 'update Outdial'),
  22005: defer(fullQueueMs, "Twilio's call queue is full"),
  70051: account('authorization failed', "give the provider's API key the permission to make calls"),
  573002: failed('caller id is not the trial number of the person, and the account is on trial'),
  573005: failed('number has not completed its verification, and the account is on trial'),
};

/** Without a code of Twilio, by the HTTP status. */
const statuses: Readonly<Record<number, ErrorMeaning>> = {
  401: account('credentials are not right', checkCredentials),
  402: account('payment required', reactivate),
  403: account('access denied', checkCredentials),
  404: account('address was not found', checkAccount),
  407: account('proxy requires credentials', 'let requests to Twilio pass the proxy'),
  429: defer(capacityMs, 'too many requests'),
};

/** The meaning of a refusal. `unknown`: it may be the number's or not. `unclear`: Twilio failed, and may have dialed before. */
export function meaningOf(status: number, code: number | null): ErrorMeaning | 'unknown' | 'unclear' {
  const known = code === null ? statuses[status] : (errorCodes[code] ?? refusedStatus(status));
  if (known) return known;
  return status >= 400 && status < 500 ? 'unknown' : 'unclear';
}

/** These statuses say whose fault it is, whatever the code. */
function refusedStatus(status: number): ErrorMeaning | undefined {
  return status === 404 ? undefined : statuses[status];
}
