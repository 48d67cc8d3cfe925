import { getCountries } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { callingKeyOf, policyOfKey, resolveKey, zoneOfKey } from './calling-key.ts';
import { faultOfPlace } from './caller-place.ts';
import { builtInRules } from './rules/index.ts';
import { zonesOf } from './places/zones.ts';
import { regionsWithRules } from './rulebook.ts';

const strict = (phoneNumber: string, place = {}) => callingKeyOf('strict', { phoneNumber, ...place }, 'UTC');
const standard = (phoneNumber: string, place = {}) =>
  callingKeyOf('standard', { phoneNumber, ...place }, 'UTC');

describe('the calling key', () => {
  test('is the zone of the recipient or the campaign without a policy', () => {
    expect(callingKeyOf('none', { phoneNumber: '+13055550123' }, 'Europe/Berlin')).toBe('Europe/Berlin');
    expect(
      callingKeyOf('none', { phoneNumber: '+13055550123', timezone: 'America/Chicago' }, 'Europe/Berlin'),
    ).toBe('America/Chicago');
  });

  test.each([
    [
      'a state with its own rule',
      '+13055550123',
      'strict:US-FL',
      'standard:US@America/New_York+America/Chicago',
    ],
    ['a state without one', '+14045550123', 'strict:US-GA', 'standard:US@America/New_York'],
    [
      'an area code that straddles zones',
      '+12195550123',
      'strict:US-IN',
      'standard:US@America/New_York+America/Chicago',
    ],
    ['another that does', '+14235550123', 'strict:US-TN', 'standard:US@America/Chicago+America/New_York'],
    ['an island of the Caribbean', '+18765550123', 'strict:JM', 'standard:JM'],
    ['a country with one zone', '+493012345678', 'strict:DE', 'standard:DE'],
    [
      'a fixed line in a country with several',
      '+551123456789',
      'strict:BR@America/Sao_Paulo',
      'standard:BR@America/Sao_Paulo',
    ],
    ['a satellite telephone, which is in no country', '+870773111632', 'strict:nowhere', 'standard:nowhere'],
  ])('of %s', (_, phoneNumber, underStrict, underStandard) => {
    expect(strict(phoneNumber)).toBe(underStrict);
    expect(standard(phoneNumber)).toBe(underStandard);
  });

  test('of a freephone number is both large countries, and under strict every state with a rule', () => {
    expect(standard('+18005550123')).toBe('standard:CA,US');
    const rules = new Set(resolveKey(strict('+18005550123')).rules.map(({ rule }) => rule.jurisdiction));
    expect(rules.size).toBe(
      builtInRules.filter(({ jurisdiction }) => jurisdiction.startsWith('US')).length + 1,
    );
  });

  test('names all states of a country at once, and still parses a list of them', () => {
    const together = strict('+18005550123');
    expect(together).toBe('strict:CA-*,US-*');
    const each = ['CA', 'US', ...regionsWithRules('US')].join();
    expect(resolveKey(`strict:${each}`)).toEqual(resolveKey(together));
  });

  test('has the place that the caller sent beside that of the number', () => {
    expect(strict('+13055550123', { region: 'US-TX' })).toBe('strict:US-FL,US-TX');
    expect(strict('+13055550123', { region: 'US-TX', timezone: 'America/Denver' })).toBe(
      'strict:US-FL,US-TX@America/Denver',
    );
    expect(strict('+493012345678', { region: 'US-NY' })).toBe('strict:DE,US-NY');
  });

  test.each([
    ['00601, 00725, 00901, 00985', 'PR,US-FL'],
    ['00802, 00850', 'US-FL,VI'],
    ['96910, 96913', 'GU,US-FL'],
    ['96950', 'MP,US-FL'],
    ['96799', 'AS,US-FL'],
    ['96701', 'US-FL,US-HI'],
    ['99950', 'US-AK,US-FL'],
    ['97201', 'US-FL,US-OR'],
    ['02903', 'US-FL,US-RI'],
    ['79901', 'US-FL,US-TX'],
    ['K1A 0B1', 'CA-ON,US-FL'],
    ['X0A 0H0', 'CA-NT,CA-NU,US-FL'],
  ])('has the places of the postal code %s', (postalCodes, places) => {
    for (const postalCode of postalCodes.split(', ')) {
      expect(strict('+13055550123', { postalCode })).toBe(`strict:${places}`);
    }
  });

  test.each([
    ['the country of the number', { region: 'US' }],
    ['its state', { region: 'US-FL' }],
    ['one of its clocks', { timezone: 'America/Chicago' }],
    ['both', { region: 'US-FL', timezone: 'America/New_York' }],
    ['its state and UTC', { region: 'US-FL', timezone: 'UTC' }],
  ])('is that of the number if the caller sent %s', (_, place) => {
    expect(faultOfPlace(place)).toBeNull();
    expect(strict('+13055550123', place)).toBe('strict:US-FL');
  });

  test.each('UTC utc Etc/UTC etc/gmt Etc/GMT+5 GMT Zulu UCT Universal'.split(' '))(
    'is that of the number if the caller sent %s, which many programs store by default',
    (timezone) => {
      expect(strict('+13055550123', { timezone })).toBe('strict:US-FL');
    },
  );

  test('applies the rules of both countries, on both clocks, to a person who lives by the clock of another', () => {
    expect(standard('+12125550123', { timezone: 'Europe/Berlin' })).toBe(
      'standard:DE,US@America/New_York,US@Europe/Berlin',
    );
  });

  test('of a number in no country needs a place, and UTC is none', () => {
    expect(strict('+870773111632', { timezone: 'UTC' })).toBe('strict:nowhere');
    expect(strict('+870773111632', { timezone: 'Asia/Tokyo' })).toBe('strict:JP');
  });

  test.each([
    ['Chile, of a range that is not assigned', '+56912345678', 'strict:CL'],
    ['Brazil, without a place', '+5540041234', 'strict:BR'],
  ])('of a number of %s is all of its country', (_, phoneNumber, key) => {
    expect(strict(phoneNumber)).toBe(key);
  });

  test('needs little time even for all states: freephone numbers cost less than fifty times as much as those of one state', () => {
    const costOf = (areaCode: string) => {
      const before = process.threadCpuUsage();
      for (let n = 0; n < 10_000; n++) strict(`+1${areaCode}555${String(n).padStart(4, '0')}`);
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    // Whatever disturbs a measurement only makes it larger, so the least of several is nearest to the truth.
    const costs = Array.from({ length: 5 }, () => ({ freephone: costOf('800'), florida: costOf('305') }));
    const least = (of: 'freephone' | 'florida') => Math.min(...costs.map((cost) => cost[of]));
    expect(least('freephone') / Math.max(least('florida'), 1_000)).toBeLessThan(50);
  });

  test("is as strict if the country is given with a zone outside the number's state", () => {
    const newYork = '+12125550123';
    const timezone = 'America/Los_Angeles';
    const unnamed = strict(newYork, { timezone });
    expect(strict(newYork, { region: 'US', timezone })).toBe(unnamed);
    const rules = resolveKey(unnamed).rules.map(({ rule }) => rule.jurisdiction);
    expect(rules).toEqual(expect.arrayContaining(['US', 'US-WA', 'US-OR', 'US-NV']));
  });

  test('contains its policy and the zone that the API shows', () => {
    expect(policyOfKey('Europe/Berlin')).toBe('none');
    expect([policyOfKey('strict:DE'), policyOfKey('standard:DE')]).toEqual(['strict', 'standard']);
    expect(zoneOfKey('Europe/Berlin')).toBe('Europe/Berlin');
    expect(zoneOfKey('strict:US-FL')).toBe('America/New_York');
  });

  test.each([
    ['Ascension', '+24762889', 'AC', 'Atlantic/St_Helena'],
    ['Kosovo', '+38344123456', 'XK', 'Europe/Belgrade'],
    ['Tristan da Cunha', '+2908999', 'TA', 'Atlantic/St_Helena'],
  ])(
    'applies the hours of %s, which the time zone database does not list',
    (_place, number, region, zone) => {
      for (const key of [strict(number), strict('+870773111632', { region })]) {
        const { isNowhere, zones, rules } = resolveKey(key);
        expect(isNowhere).toBe(false);
        expect(rules.length).toBeGreaterThan(0);
        expect(new Set(zones.map(({ name }) => name))).toEqual(new Set([zone]));
      }
    },
  );

  test.each([
    ['Réunion', '+262692123456', 'FR'],
    ['Saint-Barthélemy', '+590590277123', 'FR'],
    ['Saint-Pierre-et-Miquelon', '+508411234', 'FR'],
    ['Christmas Island', '+61891641234', 'AU'],
  ])('applies the rules of the country to which %s belongs', (_place, number, country) => {
    expect(resolveKey(strict(number)).rules.map(({ rule }) => rule.jurisdiction)).toEqual([country]);
  });

  test('has zones for every country that a caller may name', () => {
    expect(getCountries().filter((country) => zonesOf(country).length === 0)).toEqual([]);
  });

  test('of a place without a clock is nowhere', () => {
    expect(resolveKey('strict:QQ').isNowhere).toBe(true);
    expect(resolveKey('standard:DE,QQ').isNowhere).toBe(true);
  });
});

describe('a place that a caller names', () => {
  test.each([
    [{ region: 'US-FL', timezone: 'America/Chicago', postalCode: '32501' }],
    [{ region: 'DE', timezone: 'Europe/Berlin' }],
    [{ region: 'US-IN', timezone: 'America/Indiana/Indianapolis' }],
    [{ region: 'US', postalCode: '00501' }],
    [{ postalCode: '00901' }],
    [{ postalCode: '00901-0001', region: 'PR' }],
    [{ postalCode: '00801', region: 'US' }],
    [{ postalCode: '96910', region: 'GU', timezone: 'Pacific/Guam' }],
    [{ postalCode: '96799', region: 'AS' }],
    [{ timezone: 'Europe/Paris' }],
  ])('accepts consistent fields: %j', (place) => {
    expect(faultOfPlace(place)).toBeNull();
  });

  test.each([
    [{ region: 'US-XX' }, 'region', /Input should be a country/],
    [{ region: 'FL' }, 'region', /perhaps US-FL/],
    [{ region: 'us-fl' }, 'region', /in capital letters: US-FL/],
    [{ region: 'DE-BY' }, 'region', /Input should be a country/],
    [{ postalCode: '00000' }, 'postal_code', /an existing postal code/],
    [{ postalCode: '09012' }, 'postal_code', /of the armed forces/],
    [{ postalCode: '96201-1234' }, 'postal_code', /of the armed forces/],
    [{ postalCode: '00901', region: 'US-NY' }, 'postal_code', /is in PR, and not in US-NY/],
    [{ postalCode: '00901', timezone: 'America/New_York' }, 'timezone', /not a time zone of PR/],
    [{ region: 'US-PR' }, 'region', /perhaps PR/],
    [{ postalCode: '10115 Berlin' }, 'postal_code', /an existing postal code/],
    [{ region: 'US-FL', postalCode: '97201' }, 'postal_code', /is in US-OR, and not in US-FL/],
    [{ region: 'US-FL', timezone: 'America/Denver' }, 'timezone', /not a time zone of US-FL/],
    [{ postalCode: '97201', timezone: 'America/New_York' }, 'timezone', /not a time zone of US-OR/],
  ])('refuses contradictory fields: %j', (place, field, msg) => {
    const fault = faultOfPlace(place);
    expect(fault?.field).toBe(field);
    expect(fault?.msg).toMatch(msg);
  });
});
