import { isCountry } from '../numbering-plan.ts';
import { isTimeZone } from '../time-zone-name.ts';
import { isMilitaryPostalCode, regionsOfPostalCode } from './places/postal-codes.ts';
import { countriesWithRegions, regionZones } from './places/regions.ts';
import { isZoneOf } from './places/zones.ts';
import { countryOf, territoriesOfTheUnitedStates } from './rulebook.ts';

/** What a caller may specify about a person's location. */
export interface CallerPlace {
  /** IANA. */
  timezone?: string | undefined;
  /** ISO 3166: a country (`DE`), or a state or province of the United States or Canada (`US-FL`). */
  region?: string | undefined;
  /** A postal code of the United States or Canada. */
  postalCode?: string | undefined;
}

export interface PlaceFault {
  field: 'timezone' | 'region' | 'postal_code';
  /** A sentence for the caller. */
  msg: string;
}

/** The first fault of a place on its own; null if it is valid. */
export function faultOfPlace({ timezone, region, postalCode }: CallerPlace): PlaceFault | null {
  if (region !== undefined && !isRegion(region)) return { field: 'region', msg: regionFault(region) };
  if (postalCode !== undefined) {
    const regions = regionsOfPostalCode(postalCode);
    if (regions.length === 0) {
      return {
        field: 'postal_code',
        msg: isMilitaryPostalCode(postalCode)
          ? 'This postal code is of the armed forces and names no place: leave it out, or send the region or the time zone'
          : 'Input should be an existing postal code of the United States or Canada; for other countries, send the region',
      };
    }
    if (region !== undefined && !regions.some((one) => isPartOf(one, region))) {
      return {
        field: 'postal_code',
        msg: `This postal code is in ${regions.join(' or ')}, and not in ${region}`,
      };
    }
  }
  // The name itself is checked where the field is read.
  if (!isClockOfPlace(timezone) || !isTimeZone(timezone)) return null;
  const places = jurisdictionsOfPlace({ region, postalCode });
  if (places.length > 0 && !places.some((one) => isZoneOf(timezone, one))) {
    return { field: 'timezone', msg: `${timezone} is not a time zone of ${places.join(' or ')}` };
  }
  return null;
}

/** Whether a zone says where a person is. `UTC` and the offsets of `Etc/` are what programs store where nobody chose a zone. */
export function isClockOfPlace(timezone: string | undefined): timezone is string {
  return (
    timezone !== undefined && !/^(?:etc\/.*|utc|uct|gmt[+-]?0?|zulu|universal|greenwich)$/i.test(timezone)
  );
}

/** The jurisdictions that region and postal code name; none if both are missing. */
export function jurisdictionsOfPlace({ region, postalCode }: CallerPlace): readonly string[] {
  if (postalCode !== undefined) {
    const regions = regionsOfPostalCode(postalCode);
    return region === undefined || region.length === 2 ? regions : regions.filter((one) => one === region);
  }
  return region === undefined ? [] : [region];
}

function isPartOf(place: string, region: string): boolean {
  const isTerritory = territoriesOfTheUnitedStates.has(place);
  return place === region || countryOf(place) === region || (region === 'US' && isTerritory);
}

function isRegion(text: string): boolean {
  return text.length === 2 ? isCountry(text) : regionZones.has(text);
}

function regionFault(region: string): string {
  const upper = region.toUpperCase();
  if (upper !== region && isRegion(upper)) return `Input should be in capital letters: ${upper}`;
  const territory = upper.startsWith('US-') ? upper.slice(3) : '';
  const known = [...countriesWithRegions].flatMap((country) => {
    const code = `${country}-${upper}`;
    return regionZones.has(code) ? [code] : [];
  });
  if (territoriesOfTheUnitedStates.has(territory)) known.push(territory);
  const rule =
    'Input should be a country (DE), or a state or province of the United States or Canada (US-FL)';
  return known.length === 0 ? rule : `${rule}; perhaps ${known.join(', or ')}`;
}
