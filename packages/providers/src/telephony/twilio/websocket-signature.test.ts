import twilio from 'twilio';
import { expect, test } from 'vitest';
import { createTwilioHandshakeCheck } from './websocket-signature.ts';

const url = 'wss://voice.example.com/twilio/stream';
const isTwilio = createTwilioHandshakeCheck({
  TWILIO_AUTH_TOKEN: 'one',
  TWILIO_AUTH_TOKEN_EU: 'two',
  TWILIO_AUTH_TOKEN_OLD: '',
  SOMETHING_ELSE: 'three',
});
const signed = (token: string, at: string) => twilio.getExpectedTwilioSignature(token, at, {});

test.each([
  ['of the account', signed('one', url), true],
  ['of another account of the environment', signed('two', url), true],
  ['of the address with a slash', signed('one', `${url}/`), true],
  ['of another address', signed('one', 'wss://voice.example.com/twilio/relay'), false],
  ['of a variable that is not a token', signed('three', url), false],
  ['of an empty token', signed('', url), false],
  ['that is empty', '', false],
])('a signature %s', (_, signature, expected) => {
  expect(isTwilio?.(signature, url)).toBe(expected);
});

test('an environment without an auth token checks nothing', () => {
  expect(createTwilioHandshakeCheck({ TWILIO_AUTH_TOKEN: ' ', SOMETHING_ELSE: 'three' })).toBeNull();
});
