import { countryOfNumber } from '../../destination.ts';
import { areaZones } from './area-zones.ts';
import { areaCodesText, countryZonesText } from './number-places.generated.ts';
import { regionZones } from './regions.ts';
import { distinctClocks, lines, zonesOf } from './zones.ts';

/** Where a person may be: a country or region, and the zones of it that are plausible. */
export interface Place {
  jurisdiction: string;
  /** The most likely first. */
  zones: readonly string[];
}

/** The tables that say where a person is, as a text whose hash identifies them. */
export const tablesOfPlaces: string = JSON.stringify([
  areaCodesText,
  areaZones,
  countryZonesText,
  [...regionZones],
]);

const regionsOfAreaCodes: ReadonlyMap<string, readonly string[]> = new Map(
  lines(areaCodesText).flatMap(([regions = '', ...codes]) =>
    codes.map((code) => [code, regions.split('+')] as const),
  ),
);

/** By country and area code, such as `BR 81`. */
const zonesOfAreas: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(areaZones).flatMap(([country, areas]) =>
    areas.flatMap(([zones, codes]) =>
      codes.split(' ').map((code) => [`${country} ${code}`, distinctClocks(zones.split(' '))] as const),
    ),
  ),
);
const longestArea = 3;

/**
 * Where the owner of a number may be, according to the number. An area code of calling code 1 gives its states with all of their
 * zones, because codes straddle zones, and people keep their mobile number when they move. For an unknown area code, such as a freephone number, the
 * person may be anywhere in the two large countries. Elsewhere a known area code gives the zones of a fixed line; for other numbers, all zones of the country count.
 * Empty if the number is in no country.
 */
export function placesOfNumber(e164: string): readonly Place[] {
  return e164.startsWith('+1') ? ofAreaCode(e164.slice(2, 5)) : ofCountry(e164);
}

function ofAreaCode(code: string): Place[] {
  const regions = regionsOfAreaCodes.get(code) ?? ['US', 'CA'];
  return regions.map((jurisdiction) => ({ jurisdiction, zones: zonesOf(jurisdiction) }));
}

function ofCountry(e164: string): Place[] {
  const { callingCode, countries, isPlaced } = countryOfNumber(e164);
  const national = e164.slice(1 + callingCode.length);
  return countries.map((jurisdiction) => ({
    jurisdiction,
    zones: (isPlaced ? zonesOfArea(jurisdiction, national) : undefined) ?? zonesOf(jurisdiction),
  }));
}

/** By the longest code that is listed. */
function zonesOfArea(country: string, national: string): readonly string[] | undefined {
  for (let length = longestArea; length > 0; length--) {
    const zones = zonesOfAreas.get(`${country} ${national.slice(0, length)}`);
    if (zones !== undefined) return zones;
  }
  return undefined;
}
