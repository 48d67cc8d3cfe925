import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskLine } from './mask-line.ts';

describe('maskLine', () => {
  test.each([
    ['{"to_phone":"+15551230042"}', '{"to_phone":"+15*******42"}'],
    ['no route to +4915112345678, giving up', 'no route to +49*********78, giving up'],
    ['/calls?to=%2B15551230042&x=1', '/calls?to=%2B15*******42&x=1'],
    ['postgres://u:secret@db/outdial', 'postgres://u:***@db/outdial'],
    ['redis://:secret@r:6379', 'redis://:***@r:6379'],
  ])('%s', (line, masked) => {
    expect(maskLine(line)).toBe(masked);
  });

  test.each([
    '{"time":"2026-01-01T00:00:00.000+02:00"}',
    '{"n":15551230042}',
    'http://host:3000/path',
    '+12345',
  ])('%s does not change', (line) => {
    expect(maskLine(line)).toBe(line);
  });

  // In quadratic time these would take hours, and the test's own timeout would end them.
  test.each(['://:', '+1', '://a:', '%2B12', 'x://'])(
    'a long line of %s alone is read in linear time',
    (piece) => {
      const line = piece.repeat(1_000_000 / piece.length);
      expect(maskLine(line)).toHaveLength(line.length);
    },
  );

  test('no number of any country is readable afterwards', () => {
    const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
    fc.assert(
      fc.property(digits, fc.string(), fc.string(), (number, before, after) => {
        fc.pre(!/^\d/.test(after));
        expect(maskLine(`${before}+${number}${after}`)).not.toContain(`+${number}`);
      }),
    );
  });
});
