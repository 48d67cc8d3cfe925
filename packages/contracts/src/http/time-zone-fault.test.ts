import { describe, expect, it } from 'vitest';
import { timeZoneFault } from './time-zone-fault.ts';

describe('timeZoneFault', () => {
  it.each([
    ['EST', 'perhaps America/New_York, or America/Panama'],
    ['bst', 'perhaps Europe/London, or Asia/Dhaka'],
    ['utc', 'perhaps UTC'],
    ['Japan', 'perhaps Asia/Tokyo'],
    ['New York', 'perhaps America/New_York'],
    ['Eastern Standard Time', 'perhaps America/New_York'],
    ['Central European Summer Time', 'perhaps Europe/Berlin'],
    ['Europe/Berln', 'perhaps Europe/Berlin'],
  ])('names what may be meant by %s', (name, candidates) => {
    expect(timeZoneFault(name)).toContain(candidates);
  });

  it('suggests nothing for a meaningless name', () => {
    expect(timeZoneFault('Mars/Olympus')).toBe(
      'Input should be an IANA time zone with a slash, such as America/New_York, or UTC',
    );
  });
});
