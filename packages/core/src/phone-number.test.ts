import { describe, expect, test } from 'vitest';
import { isE164, maskPhoneNumber, parsePhoneNumber } from './phone-number.ts';

describe('isE164', () => {
  test.each(['+15551230000', '+4930123456', '+1234567', '+123456789012345'])('takes %s', (text) => {
    expect(isE164(text)).toBe(true);
  });

  test.each([
    '',
    '15551230000',
    '+05551230000',
    '+123456',
    '+1234567890123456',
    '+1 555 123 0000',
    '+1555123000a',
    '+15551230000\n',
    '＋15551230000',
  ])('refuses %j', (text) => {
    expect(isE164(text)).toBe(false);
  });
});

describe('parsePhoneNumber', () => {
  test.each([
    ['+15551230091', undefined, '+15551230091'],
    ['  +1 (555) 123-0091 ', undefined, '+15551230091'],
    ['+1.555.123.0091', undefined, '+15551230091'],
    ['(415) 555-2671', 'US', '+14155552671'],
    ['030 123456', 'de', '+4930123456'],
    ['+49 30 123456', 'US', '+4930123456'],
    ['011 49 30 123456', 'US', '+4930123456'],
  ])('reads %j with %s', (raw, country, e164) => {
    expect(parsePhoneNumber(raw, country)).toEqual({ kind: 'ok', e164 });
  });

  test.each([
    ['', undefined, 'empty'],
    ['   ', 'US', 'empty'],
    ['not a number', 'US', 'not_a_number'],
    ['call +1 555 123 0091', undefined, 'not_a_number'],
    ['415 555 2671', undefined, 'country_unknown'],
    ['415 555 2671', 'XX', 'country_unknown'],
    ['+999 1234 5678', undefined, 'country_unknown'],
    ['+1 415', undefined, 'too_short'],
    ['+1 415 555 2671 22222', undefined, 'too_long'],
    ['+1 415 555 2671 ext. 5', undefined, 'has_extension'],
  ])('refuses %j with %s as %s', (raw, country, reason) => {
    expect(parsePhoneNumber(raw, country)).toEqual({ kind: 'invalid', reason });
  });
});

describe('maskPhoneNumber', () => {
  test.each([
    ['+15551230091', '+1•••91'],
    ['+4930123456', '+49•••56'],
    ['+99912345678', '+•••78'],
    ['0301234', '•••'],
    ['', '•••'],
  ])('of %j is %s', (text, masked) => {
    expect(maskPhoneNumber(text)).toBe(masked);
  });
});
