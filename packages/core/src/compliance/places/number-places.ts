import { countryOfNumber } from '../../destination.ts';
import { areaCodesText, countryZonesText, numberZonesText } from './number-places.generated.ts';
import { regionZones } from './regions.ts';
import { distinctClocks, isZoneOf, lines, zonesOf } from './zones.ts';

/** Where a person may be: a country or region, and the zones of it that are plausible. */
export interface Place {
  jurisdiction: string;
  /** The most likely first. */
  zones: readonly string[];
}

/** The tables that say where a person is, as a text whose hash identifies them. */
export const tablesOfPlaces: string = JSON.stringify([
  areaCodesText,
  numberZonesText,
  countryZonesText,
  [...regionZones],
]);

const regionsOfAreaCodes: ReadonlyMap<string, readonly string[]> = new Map(
  lines(areaCodesText).flatMap(([regions = '', ...codes]) =>
    codes.map((code) => [code, regions.split('+')] as const),
  ),
);

const zonesOfPrefixes: ReadonlyMap<string, readonly string[]> = new Map(
  lines(numberZonesText).flatMap(([zones = '', ...prefixes]) =>
    prefixes.map((prefix) => [prefix, zones.split('+')] as const),
  ),
);
const longestPrefix = Math.max(...[...zonesOfPrefixes.keys()].map((prefix) => prefix.length));

/**
 * Where the owner of a number may be, according to the number. An area code of calling code 1 gives its states with all of their
 * zones, because codes straddle zones, and people keep their mobile number when they move. For an unknown area code, such as a freephone number, the
 * person may be anywhere in the two large countries. Elsewhere the longest known prefix gives the zones of a fixed line; for other numbers, all zones of the country count.
 * Empty if the number is in no country.
 */
export function placesOfNumber(e164: string): readonly Place[] {
  return e164.startsWith('+1') ? ofAreaCode(e164.slice(2, 5)) : ofPrefix(e164);
}

function ofAreaCode(code: string): Place[] {
  const regions = regionsOfAreaCodes.get(code) ?? ['US', 'CA'];
  return regions.map((jurisdiction) => ({ jurisdiction, zones: zonesOf(jurisdiction) }));
}

function ofPrefix(e164: string): Place[] {
  const { callingCode, countries, isPlaced } = countryOfNumber(e164);
  const ofPrefix =
    isPlaced && countries.length === 1 ? zonesOfPrefix(e164.slice(1), callingCode.length) : null;
  return countries.map((jurisdiction) => {
    // libphonenumber has New York for a prefix of Mexico, and Bucharest for Kaliningrad.
    const ofCountry = ofPrefix?.filter((zone) => isZoneOf(zone, jurisdiction)) ?? [];
    return { jurisdiction, zones: ofCountry.length === 0 ? zonesOf(jurisdiction) : ofCountry };
  });
}

/** By the longest known prefix, if it is longer than the calling code. */
function zonesOfPrefix(digits: string, codeLength: number): string[] | null {
  for (let length = Math.min(longestPrefix, digits.length); length > codeLength; length--) {
    const zones = zonesOfPrefixes.get(digits.slice(0, length));
    if (zones !== undefined) return distinctClocks(zones);
  }
  return null;
}
