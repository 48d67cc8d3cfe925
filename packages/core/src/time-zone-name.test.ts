import { describe, expect, test } from 'vitest';
import { isTimeZone } from './time-zone-name.ts';

describe('isTimeZone', () => {
  test.each([
    ...Intl.supportedValuesOf('timeZone'),
    'UTC',
    'Etc/UTC',
    'europe/berlin',
    'US/Pacific',
    'Etc/GMT+5',
  ])('takes %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  test.each([
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
