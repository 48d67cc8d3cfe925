import type { Outcome } from '@outdial/core';

/** The effect of a Twilio error on a call. */
export type ErrorMeaning =
  /** The attempt ends with this outcome. */
  | { kind: 'outcome'; outcome: Extract<Outcome, 'invalid_number' | 'failed'>; about: string }
  /** The error does not concern the number. The account pauses for this time, and no attempt is used. */
  | { kind: 'defer'; waitMs: number; about: string };

/** The account may not call at all until an operator fixes it. Meanwhile, no attempts may be used up. */
const accountMs = 60_000;
/** A line, or capacity in Twilio's queue, may be free again soon. */
const capacityMs = 5_000;

const invalidNumber = (about: string): ErrorMeaning => ({
  kind: 'outcome',
  outcome: 'invalid_number',
  about,
});
const failed = (about: string): ErrorMeaning => ({ kind: 'outcome', outcome: 'failed', about });
const defer = (waitMs: number, about: string): ErrorMeaning => ({ kind: 'defer', waitMs, about });

/** By Twilio's error codes (https://www.twilio.com/docs/api/errors). docs/twilio.md shows the same table, and a test compares the two. */
export const errorCodes: Readonly<Record<number, ErrorMeaning>> = {
  10001: defer(accountMs, 'account is not active'),
  10002: failed('trial account does not support the feature'),
  10004: defer(capacityMs, 'call concurrency limit exceeded'),
  10005: defer(accountMs, 'voice calling has been disabled for the account'),
  13223: invalidNumber('number format is not valid'),
  13224: invalidNumber('number is not supported, or not valid'),
  13225: failed('number is blocked by Twilio'),
  13226: invalidNumber('country code is not valid'),
  13227: failed('geographic permissions do not permit the call'),
  20003: defer(accountMs, 'credentials are not right'),
  20005: defer(accountMs, 'account is not active'),
  20429: defer(capacityMs, 'too many requests'),
  21201: failed('no number to call'),
  21202: failed('premium or emergency number'),
  21203: failed('international calling is not enabled'),
  21205: failed('address of the instructions is not valid'),
  21210: failed('caller id is not verified'),
  21211: invalidNumber('number is not valid'),
  21212: failed('caller id is not valid'),
  21213: failed('no caller id'),
  21214: failed('number cannot be reached'),
  21215: failed('geographic permissions do not permit the call'),
  21216: failed('call is blocked by Twilio'),
  21217: invalidNumber('number does not appear to be valid'),
  21219: failed('number is not verified, and the account is on trial'),
  21609: failed('address of status callbacks is not valid: see PUBLIC_URL'),
  21626: failed('events of status callbacks are not valid'),
  22005: defer(accountMs, "Twilio's call queue is full"),
};

/** The result of a refusal without a code in the table. */
export function meaningOf(status: number, code: number | null): ErrorMeaning | 'unclear' {
  const known = code === null ? undefined : errorCodes[code];
  if (known) return known;
  if (status === 429) return defer(capacityMs, 'too many requests');
  if (status === 401 || status === 403) return defer(accountMs, 'credentials are not right');
  if (status >= 400 && status < 500) return failed('refused');
  return 'unclear';
}
