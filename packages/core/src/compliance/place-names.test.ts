import { expect, test } from 'vitest';
import { placeFieldOf } from './place-names.ts';

test.each([
  [
    'timezone',
    [
      'timezone',
      'Time Zone',
      'time_zone',
      'timeZone',
      'TIME-ZONE',
      'tz',
      'Local time zone',
      'tz name',
      'zone',
      'IANA time zone',
    ],
  ],
  [
    'region',
    ['region', 'Region', 'State', 'Mailing State/Province', 'state_code', 'Province', 'country', 'homeState'],
  ],
  [
    'postal_code',
    [
      'postal_code',
      'postalCode',
      'ZIP',
      'Zip Code',
      'zipcode',
      'Post code',
      'PLZ',
      'billing ZIP',
      'Code postal',
    ],
  ],
  [
    undefined,
    [
      'status',
      'name',
      'Real estate',
      'zone manager',
      'Country code',
      'state of the order',
      'delivery zone',
      '',
    ],
  ],
])('%s is what was meant by %j', (field, names) => {
  expect(names.map((name) => [name, placeFieldOf(name)])).toEqual(names.map((name) => [name, field]));
});
