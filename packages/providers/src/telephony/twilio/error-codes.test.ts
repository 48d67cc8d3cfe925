import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorCodes, meaningOf, type ErrorMeaning } from './error-codes.ts';

const page = readFileSync(new URL('../../../../../docs/twilio.md', import.meta.url), 'utf8');

/** Rows of the form `| 21211 | invalid_number | … | – |`, `| 20429 | waits 5 s | … | – |` and `| 20003 | account | … | … |`. */
const documented = [...page.matchAll(/^\| (\d{5,6}) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, code = '', ...columns]) => [Number(code), ...columns],
);

function columnsOf(meaning: ErrorMeaning): string[] {
  switch (meaning.kind) {
    case 'outcome':
      return [`\`${meaning.outcome}\``, meaning.about, '–'];
    case 'defer':
      return [`waits ${meaning.waitMs / 1000} s`, meaning.about, '–'];
    case 'misconfigured':
      return [meaning.side.replace('_', ' '), meaning.about, meaning.remedy];
  }
}

describe('error codes', () => {
  test('match the table in docs/twilio.md', () => {
    const codes = Object.entries(errorCodes);
    expect(documented).toEqual(codes.map(([code, meaning]) => [Number(code), ...columnsOf(meaning)]));
  });

  test.each([
    [400, 21211, { kind: 'outcome', outcome: 'invalid_number' }],
    [429, null, { kind: 'defer', waitMs: 5_000 }],
    [429, 10004, { kind: 'defer', waitMs: 5_000 }],
    [401, null, { kind: 'misconfigured', side: 'account' }],
    [402, null, { kind: 'misconfigured', side: 'account' }],
    [403, null, { kind: 'misconfigured', side: 'account' }],
    [403, 29999, { kind: 'misconfigured', side: 'account' }],
    [404, null, { kind: 'misconfigured', side: 'account' }],
    [404, 20404, { kind: 'misconfigured', side: 'account' }],
    [400, 21210, { kind: 'misconfigured', side: 'caller_id' }],
    [400, 21205, { kind: 'misconfigured', side: 'instructions' }],
  ])('of status %i and code %s', (status, code, meaning) => {
    expect(meaningOf(status, code)).toMatchObject(meaning);
  });

  test.each([
    [400, null],
    [400, 29999],
    [404, 12345],
  ])('of status %i and code %s are unknown', (status, code) => {
    expect(meaningOf(status, code)).toBe('unknown');
  });

  test.each([300, 500, 503])('are unclear with status %i, because Twilio may have dialed', (status) => {
    expect(meaningOf(status, null)).toBe('unclear');
  });
});
