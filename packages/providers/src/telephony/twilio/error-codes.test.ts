import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorCodes, meaningOf } from './error-codes.ts';

const page = readFileSync(new URL('../../../../../docs/twilio.md', import.meta.url), 'utf8');

/** Rows of the form `| 21211 | invalid_number | … |` and `| 20429 | waits 5 s | … |`. */
const documented = [...page.matchAll(/^\| (\d{5}) +\| `?([a-z_]+|waits \d+ s)`? +\|/gm)].map(
  ([, code = '', meaning = '']) => [Number(code), meaning],
);

describe('error codes', () => {
  test('match the table in docs/twilio.md', () => {
    expect(documented).toEqual(
      Object.entries(errorCodes).map(([code, meaning]) => [
        Number(code),
        meaning.kind === 'outcome' ? meaning.outcome : `waits ${meaning.waitMs / 1000} s`,
      ]),
    );
  });

  test.each([
    [400, 21211, { kind: 'outcome', outcome: 'invalid_number' }],
    [400, null, { kind: 'outcome', outcome: 'failed' }],
    [404, 12345, { kind: 'outcome', outcome: 'failed' }],
    [429, null, { kind: 'defer', waitMs: 5_000 }],
    [429, 10004, { kind: 'defer', waitMs: 5_000 }],
    [401, null, { kind: 'defer', waitMs: 60_000 }],
    [403, null, { kind: 'defer', waitMs: 60_000 }],
  ])('of status %i and code %s', (status, code, meaning) => {
    expect(meaningOf(status, code)).toMatchObject(meaning);
  });

  test.each([300, 500, 503])('are unclear with status %i, because Twilio may have dialed', (status) => {
    expect(meaningOf(status, null)).toBe('unclear');
  });
});
