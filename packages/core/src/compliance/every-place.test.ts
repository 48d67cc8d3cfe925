import fc from 'fast-check';
import { getExampleNumber, isSupportedCountry } from 'libphonenumber-js/max';
import mobileExamples from 'libphonenumber-js/mobile/examples';
import metadata from 'libphonenumber-js/max/metadata';
import { describe, expect, test } from 'vitest';
import { faultOfPlace, type CallerPlace } from './caller-place.ts';
import { allowedTimes, callingHours } from './calling-hours.ts';
import { callingKeyOf, resolveKey } from './calling-key.ts';
import { isTimeZone } from '../time-zone-name.ts';
import { findTimeZone } from '../time-zone.ts';
import { areaZones } from './places/area-zones.ts';
import { countriesWithRegions, regionZones } from './places/regions.ts';
import { isZoneOf } from './places/zones.ts';

/**
 * A key without zones has no rules, and a key without rules is open at all times. So this file checks every place in the data, because random numbers
 * rarely hit small countries.
 */
const policies = ['strict', 'standard'] as const;
const countries = Object.keys(metadata.countries);
const ofTheWorld = Object.keys(metadata.nonGeographic);
const callingCodes = [...Object.keys(metadata.country_calling_codes), ...ofTheWorld];
const regions = [...countries, ...regionZones.keys()];
/** What lists have in the column of a zone: links, offsets, abbreviations, in any case. Some of them are refused before they get here. */
const oddZones = [
  'UTC utc Etc/UTC etc/utc Etc/GMT Etc/GMT+5 ETC/GMT-14 Etc/Zulu Etc/Universal GMT EST MST HST',
  'EST5EDT PST8PDT CET Zulu UCT GB Japan PRC ROK US/Eastern US/Pacific us/pacific US/Samoa asia/tokyo',
  'ASIA/TOKYO america/new_york America/Indianapolis Canada/Newfoundland Brazil/Acre Asia/Calcutta',
  'Pacific/Kiritimati',
]
  .flatMap((names) => names.split(' '))
  .filter((name) => findTimeZone(name) !== null);
const timezones = [...new Set([...Intl.supportedValuesOf('timeZone'), ...oddZones])];
const fortnight = Array.from({ length: 14 * 8 }, (_, n) => new Date(Date.UTC(2027, 0, 4) + n * 10_800_000));

/** The faults of a person's key, under each policy. */
function faultsOf(phoneNumber: string, place: CallerPlace = {}): string[] {
  return policies.flatMap((policy) => {
    const key = callingKeyOf(policy, { phoneNumber, ...place }, 'UTC');
    const { zones, rules, isNowhere } = resolveKey(key);
    const subject = `${phoneNumber} ${JSON.stringify(place)} ${key}`;
    if (zones.length === 0) return [`${subject}: no zones`];
    if (key.length >= 1_000) return [`${subject}: too long for an index`];
    if (isNowhere) return rules.length === 0 ? [`${subject}: nowhere`] : [`${subject}: nowhere with rules`];
    const clocks = new Set(zones.map(({ name }) => name));
    const ruled = new Set(rules.map(({ zone }) => zone.name));
    return [...clocks].every((clock) => ruled.has(clock)) ? [] : [`${subject}: a clock without a rule`];
  });
}

/** Numbers that together begin with every three digits of a calling code. */
const numbersOf = (callingCode: string) =>
  Array.from({ length: 1_000 }, (_, first) => `+${callingCode}${String(first).padStart(3, '0')}5550123`);

describe('no place that a caller names opens an hour that the number closes', () => {
  /** Numbers whose own places close an hour: of one state, of several zones, of everywhere, of a country with a rule and of one without. */
  const numbers = [
    '+12125550123',
    '+13055550123',
    '+18005550123',
    '+491715550123',
    '+56961234567',
    '+81312345678',
  ];
  const week = { fromMs: Date.UTC(2027, 0, 4), toMs: Date.UTC(2027, 0, 11) };
  const openTimes = (key: string) => allowedTimes(resolveKey(key), week);

  /** A mobile number of each country, which may be in every zone of it. */
  const ofEachCountry = countries.map((country) => {
    const example = isSupportedCountry(country)
      ? getExampleNumber(country, mobileExamples)?.number
      : undefined;
    // A few islands have no mobile network.
    return example ?? '+29012345';
  });
  const zips = Array.from({ length: 1_000 }, (_, n) => `${String(n).padStart(3, '0')}01`);
  const postalCodes = [...zips, ...'ABCEGHJKLMNPRSTVXY'.split('').map((letter) => `${letter}1A 1A1`)];

  /** All rules of a key must be open, so a key with all the rules of another, each by the same clocks, is open only when that one is. */
  const rulesOfKey = (key: string) => {
    const { rules, isNowhere } = resolveKey(key);
    return isNowhere ? null : new Set(rules.map(({ rule, zone }) => `${rule.jurisdiction} ${zone.name}`));
  };
  function opens(policy: (typeof policies)[number], phoneNumber: string, place: CallerPlace): boolean {
    const own = callingKeyOf(policy, { phoneNumber }, 'UTC');
    const key = callingKeyOf(policy, { phoneNumber, ...place }, 'UTC');
    const before = rulesOfKey(own);
    // A number of no country is dialed by its place alone.
    if (key === own || before === null) return false;
    const after = rulesOfKey(key);
    if (after !== null && [...before].every((rule) => after.has(rule))) return false;
    // Two zones may have the same clock under different names.
    const closed = openTimes(own);
    return !openTimes(key).every(({ fromMs, toMs }) =>
      closed.some((one) => one.fromMs <= fromMs && toMs <= one.toMs),
    );
  }

  test.each(policies)('under %s, by every time zone, country and region alone', (policy) => {
    expect(ofEachCountry.length).toBeGreaterThan(240);
    const places: CallerPlace[] = [
      ...timezones.map((timezone) => ({ timezone })),
      ...regions.map((region) => ({ region })),
    ];
    const opened = [...numbers, ...(policy === 'strict' ? ofEachCountry : [])].flatMap((phoneNumber) =>
      places
        .filter((place) => opens(policy, phoneNumber, place))
        .map((place) => `${phoneNumber} ${JSON.stringify(place)}`),
    );
    expect(opened).toEqual([]);
  });

  test('by a time zone, a region and a postal code together, under both policies', () => {
    const place = fc.record({
      timezone: fc.option(fc.constantFrom(...timezones), { nil: undefined }),
      region: fc.option(fc.constantFrom(...regions), { nil: undefined }),
      postalCode: fc.option(fc.constantFrom(...postalCodes), { nil: undefined }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...policies),
        fc.constantFrom(...ofEachCountry, ...numbers),
        place,
        (policy, phoneNumber, named) => {
          expect(opens(policy, phoneNumber, named)).toBe(false);
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

describe('every place of the world has clocks and a rule for each, or is nowhere', () => {
  test('by each calling code, whatever digits follow', () => {
    const faults = callingCodes
      .filter((code) => !ofTheWorld.includes(code))
      .flatMap((code) => numbersOf(code).flatMap((number) => faultsOf(number)));
    expect(faults).toEqual([]);
  });

  test('by the codes of no country, which are never called', () => {
    for (const code of ofTheWorld) {
      for (const policy of policies) {
        const key = callingKeyOf(policy, { phoneNumber: `+${code}12345678` }, 'UTC');
        expect(key).toBe(`${policy}:nowhere`);
        for (const at of fortnight) expect(callingHours(key, at)).toEqual({ kind: 'closed', opensAt: null });
      }
    }
  });

  test('by each country and region that a caller may name, for numbers of everywhere', () => {
    const faults = regions.flatMap((region) => {
      expect(faultOfPlace({ region })).toBeNull();
      return callingCodes.flatMap((code) => faultsOf(`+${code}2125550123`, { region }));
    });
    expect(faults).toEqual([]);
  });

  test('by each time zone that a caller may name, for numbers of many countries', () => {
    const named = timezones.filter(isTimeZone);
    expect(named.length).toBeGreaterThan(400);
    const faults = named.flatMap((timezone) => {
      expect(faultOfPlace({ timezone })).toBeNull();
      return ['1', '44', '49', '7', '55', '61', '383', '290', '247', '211', '262', '599'].flatMap((code) =>
        faultsOf(`+${code}2125550123`, { timezone }),
      );
    });
    expect(faults).toEqual([]);
  });

  test('by each postal code that is taken', () => {
    const zips = Array.from({ length: 1_000 }, (_, n) => `${String(n).padStart(3, '0')}01`);
    const canadian = Array.from({ length: 26 }, (_, n) => `${String.fromCharCode(65 + n)}1A 1A1`);
    const taken = [...zips, ...canadian].filter((postalCode) => faultOfPlace({ postalCode }) === null);
    expect(taken.length).toBeGreaterThan(850);
    expect(taken.flatMap((postalCode) => faultsOf('+493012345678', { postalCode }))).toEqual([]);
  });

  test('is open for some of a fortnight and closed for some of it, by each region', () => {
    for (const region of regions) {
      for (const policy of policies) {
        // By its number, this person is nowhere.
        const key = callingKeyOf(policy, { phoneNumber: '+870773111632', region }, 'UTC');
        const kinds = new Set(fortnight.map((at) => callingHours(key, at).kind));
        expect([key, ...[...kinds].toSorted()]).toEqual([key, 'closed', 'open']);
      }
    }
  });

  test('limits the zones of each area code to those of its country', () => {
    const stray = Object.entries(areaZones).flatMap(([country, areas]) =>
      areas.flatMap(([zones]) => zones.split(' ').filter((zone) => !isZoneOf(zone, country))),
    );
    expect(stray).toEqual([]);
  });

  test('knows the regions of the listed countries only', () => {
    expect(new Set([...regionZones.keys()].map((region) => region.slice(0, 2)))).toEqual(
      countriesWithRegions,
    );
  });
});
