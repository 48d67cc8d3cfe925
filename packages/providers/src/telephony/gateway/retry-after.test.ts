import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterDefaultMs, retryAfterLeastMs, retryAfterMostMs, retryAfterMs } from './retry-after.ts';

const now = new Date('2026-03-02T12:00:00Z');

test.each([
  ['30', 30_000],
  [' 30 ', 30_000],
  ['Mon, 02 Mar 2026 12:01:00 GMT', 60_000],
  ['Monday, 02-Mar-26 12:01:00 GMT', 60_000],
  ['Mon, 02 Mar 2026 11:00:00 GMT', retryAfterLeastMs],
  ['Tue, 03 Mar 2026 12:00:00 GMT', retryAfterMostMs],
  ['0', retryAfterLeastMs],
  ['99999999999999999999999', retryAfterMostMs],
  ['-5', retryAfterDefaultMs],
  ['1.5', retryAfterDefaultMs],
  ['2026-03-02T12:01:00Z', retryAfterDefaultMs],
  ['', retryAfterDefaultMs],
  ['soon', retryAfterDefaultMs],
])('%j is %i ms', (header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});

test('stays within its bounds, whatever a gateway sends', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.integer().map(String),
        fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
      ),
      (header) => {
        const ms = retryAfterMs(header, now);
        expect(ms).toBeGreaterThanOrEqual(retryAfterLeastMs);
        expect(ms).toBeLessThanOrEqual(retryAfterMostMs);
      },
    ),
  );
});
