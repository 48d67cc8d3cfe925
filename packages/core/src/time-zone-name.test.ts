import { describe, expect, it } from 'vitest';
import { isTimeZone, timeZoneFault } from './time-zone-name.ts';

describe('isTimeZone', () => {
  it.each([
    ...Intl.supportedValuesOf('timeZone'),
    'UTC',
    'Etc/UTC',
    'europe/berlin',
    'US/Pacific',
    'Etc/GMT+5',
  ])('takes %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each([
    '',
    'local',
    'system',
    '+02:00',
    '-0500',
    'UTC+3',
    'utc',
    'GMT',
    'EST',
    'IST',
    'EST5EDT',
    'Japan',
    'Mars/Olympus',
    'Europe/Berlin ',
    'Europe/../Berlin',
  ])('refuses %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});

describe('timeZoneFault', () => {
  it.each([
    ['EST', 'perhaps America/New_York, or America/Panama'],
    ['bst', 'perhaps Europe/London, or Asia/Dhaka'],
    ['utc', 'perhaps UTC'],
    ['Japan', 'perhaps Asia/Tokyo'],
  ])('names what may be meant by %s', (name, candidates) => {
    expect(timeZoneFault(name)).toContain(candidates);
  });

  it('suggests nothing for a meaningless name', () => {
    expect(timeZoneFault('Mars/Olympus')).toBe(
      'Input should be an IANA time zone with a slash, such as America/New_York, or UTC',
    );
  });
});
