import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { timeZoneFault, TimeZoneHints } from './time-zone-fault.ts';

describe('timeZoneFault', () => {
  test.each([
    ['EST', 'perhaps America/New_York, or America/Panama'],
    ['bst', 'perhaps Europe/London, or Asia/Dhaka'],
    ['utc', 'perhaps UTC'],
    ['Japan', 'perhaps Asia/Tokyo'],
    ['Berlin', 'perhaps Europe/Berlin'],
    ['New York', 'perhaps America/New_York'],
    ['Eastern Standard Time', 'perhaps America/New_York'],
    ['Central European Summer Time', 'perhaps Europe/Berlin'],
    ['Europe/Berln', 'perhaps Europe/Berlin'],
  ])('suggests zones for %s', (name, candidates) => {
    expect(timeZoneFault(name)).toContain(candidates);
  });

  test('suggests nothing for a meaningless name', () => {
    expect(timeZoneFault('Mars/Olympus')).toBe(
      'Input should be an IANA time zone with a slash, such as America/New_York, or UTC',
    );
  });
});

test('finds hints for the first hundred names of a list, and each only once', () => {
  const found = vi.spyOn(TimeZoneHints.prototype, 'find');
  onTestFinished(() => found.mockRestore());
  const hints = new TimeZoneHints();
  const names = Array.from({ length: 99 }, (_, index) => `${index} Standard Time`);
  for (let row = 0; row < 50_000; row++) {
    if (hints.hint('Eastern Standard Time') !== '; perhaps America/New_York') throw new Error('no hint');
  }
  expect(names.map((name) => hints.hint(name)).join('')).toBe('');
  expect(hints.hint('Europe/Berln')).toBe('');
  expect(found.mock.calls).toEqual(['Eastern Standard Time', ...names].map((name) => [name]));
  expect(new TimeZoneHints().hint('Europe/Berln')).toBe('; perhaps Europe/Berlin');
});
