import { expect, test } from 'vitest';
import { judgeHandshake } from './handshake.ts';

const url = 'wss://voice.example.com/twilio/stream';
const isTwilio = (signature: string, signed: string) => signature === 'right' && signed === url;

test.each([
  ['with the right signature', 'right', isTwilio, 'signed'],
  ['with a wrong one', 'wrong', isTwilio, 'refused'],
  ['with two', ['right', 'right'], isTwilio, 'refused'],
  ['with none, although an auth token is configured', undefined, isTwilio, 'refused'],
  ['with none, and no auth token is configured', undefined, null, 'unsigned'],
  ['with one that cannot be checked', 'right', null, 'refused'],
])('a handshake %s', (_, signature, check, expected) => {
  expect(judgeHandshake(signature, url, check)).toBe(expected);
});
