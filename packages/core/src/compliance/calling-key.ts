import { timeZone, type TimeZone } from '../time-zone.ts';
import { type CallerPlace, isClockOfPlace, jurisdictionsOfPlace } from './caller-place.ts';
import type { CallingPolicy } from './calling-policy.ts';
import type { CallingRule } from './calling-rule.ts';
import { placesOfNumber, type Place } from './places/number-places.ts';
import { countriesOfZone, distinctClocks, isZoneOf, zonesOf } from './places/zones.ts';
import type { OverlayFault, RuleOverlay } from './rule-overlay.ts';
import type { CallCap } from './person-caps.ts';
import { countriesWithRegions, regionZones } from './places/regions.ts';
import { countryOf, regionsWithRules, rulesOf, setOverlay } from './rulebook.ts';

/**
 * Determines a recipient's windows. With the policy `none` it is an IANA zone. Otherwise it is the policy with the places
 * in which the person may be, such as `strict:US-FL`, `strict:US-*` or `standard:US@America/New_York+America/Chicago`. It is a text, so that an index can hold it.
 * All recipients with the same key may be called at the same times.
 */
export type CallingKey = string;

/** A parsed key. */
export interface ResolvedKey {
  policy: CallingPolicy;
  /** Never empty; the first one determines the dates of rounds. */
  zones: readonly TimeZone[];
  /** The rules that apply, each by the clock of a zone; all of them must allow a call. */
  rules: ReadonlyArray<{ rule: CallingRule; zone: TimeZone }>;
  /** The caps per person of these rules, each once; null for none. */
  caps: readonly CallCap[] | null;
  /** The number is in no country, and the caller did not specify the person's location: no call is allowed at any time. */
  isNowhere: boolean;
}

const nowhere = 'nowhere';
/** After a country, in the keys of `strict`: the person may be in any of its regions. */
const anyRegion = '-*';
/** Zones are joined by a plus sign, which `Etc/GMT+5` has in its name. */
const betweenZones = /\+(?=[A-Za-z])/;
const resolvedKeys = new Map<CallingKey, ResolvedKey>();
const keysOfPlaces = new Map<string, CallingKey>();
/** Of several campaigns with as many as they may have. */
const keysAtMost = 20_000;

/** The key of a recipient under a policy. `campaignZone` is used only with `none`, for recipients without their own zone. */
export function callingKeyOf(
  policy: CallingPolicy,
  person: CallerPlace & { phoneNumber: string },
  campaignZone: string,
): CallingKey {
  if (policy === 'none') return person.timezone ?? campaignZone;
  const places = placesOf(person);
  // Cached, because many people have the same places.
  const asked = `${policy} ${places.map(({ jurisdiction, zones }) => `${jurisdiction}@${zones.join('+')}`).join()}`;
  const known = keysOfPlaces.get(asked);
  if (known !== undefined) return known;
  const key = keyOfPlaces(policy, places);
  if (keysOfPlaces.size >= keysAtMost) keysOfPlaces.clear();
  keysOfPlaces.set(asked, key);
  return key;
}

/** The key of people who may not be called at any time, because it is not known where they are. */
export function nowhereKey(policy: Exclude<CallingPolicy, 'none'>): CallingKey {
  return `${policy}:${nowhere}`;
}

function keyOfPlaces(policy: Exclude<CallingPolicy, 'none'>, named: readonly Place[]): CallingKey {
  const places = named.map((place) => underPolicy(place, policy));
  if (places.length === 0) return nowhereKey(policy);
  return `${policy}:${[...new Set(places.map(formatPlace))].toSorted().join(',')}`;
}

/**
 * The places where a person may be: those that the number indicates, and those that the caller named. A named place only adds: it may be wrong, out of
 * date or a program's default, so it never opens an hour that the number's own places close.
 */
export function placesOf(person: CallerPlace & { phoneNumber: string }): Place[] {
  const ofNumber = placesOfNumber(person.phoneNumber);
  // A country, or a state of which the number is, says nothing new.
  const named = jurisdictionsOfPlace(person).filter(
    (name) => !ofNumber.some(({ jurisdiction }) => jurisdiction === name || countryOf(jurisdiction) === name),
  );
  const timezone = isClockOfPlace(person.timezone) ? person.timezone : undefined;
  if (named.length > 0) {
    const there = named.map((jurisdiction) => ({ jurisdiction, zones: zonesInside(jurisdiction, timezone) }));
    return [...ofNumber, ...there];
  }
  if (
    timezone === undefined ||
    ofNumber.some(({ zones }) => zones.some((zone) => sameClock(zone, timezone)))
  ) {
    return [...ofNumber];
  }
  // The person lives by the clock of another place than the number's: the rules of both count on it.
  const jurisdictions = new Set([
    ...ofNumber.flatMap(({ jurisdiction }) => [jurisdiction, ...countriesWith(timezone, jurisdiction)]),
    ...countriesOfZone(timezone),
  ]);
  return [...ofNumber, ...[...jurisdictions].map((jurisdiction) => ({ jurisdiction, zones: [timezone] }))];
}

/** Narrowed by the zone that the caller named together with the place. */
function zonesInside(jurisdiction: string, timezone: string | undefined): readonly string[] {
  return timezone !== undefined && isZoneOf(timezone, jurisdiction) ? [timezone] : zonesOf(jurisdiction);
}

/** The country of a state, if it has a zone that the state lacks. */
function countriesWith(timezone: string, jurisdiction: string): string[] {
  const country = countryOf(jurisdiction);
  return !isZoneOf(timezone, jurisdiction) && isZoneOf(timezone, country) ? [country] : [];
}

/** With `standard`, only the country's rule counts, by the clocks of its region. */
function underPolicy({ jurisdiction, zones }: Place, policy: Exclude<CallingPolicy, 'none'>): Place {
  const country = countryOf(jurisdiction);
  if (policy === 'standard') return { jurisdiction: country, zones };
  if (jurisdiction !== country) {
    return { jurisdiction: regionZones.has(jurisdiction) ? jurisdiction : country, zones };
  }
  return { jurisdiction: countriesWithRegions.has(country) ? country + anyRegion : country, zones };
}

/** An unknown region may be any of its country's: all of their rules apply. */
function possibleRegions({ jurisdiction, zones }: Place): Place[] {
  if (!jurisdiction.endsWith(anyRegion)) return [{ jurisdiction, zones }];
  const country = countryOf(jurisdiction);
  const regions = regionsWithRules(country).flatMap((region) => {
    // If the zone is known, regions with other zones are excluded.
    const plausible = zonesOf(region).filter((zone) => zones.some((one) => sameClock(one, zone)));
    return plausible.length === 0 ? [] : [{ jurisdiction: region, zones: plausible }];
  });
  return [{ jurisdiction: country, zones }, ...regions];
}

function sameClock(one: string, other: string): boolean {
  return distinctClocks([one, other]).length === 1;
}

/** Omits the zones of a place that has all zones of its jurisdiction. */
function formatPlace({ jurisdiction, zones }: Place): string {
  const distinct = distinctClocks(zones);
  return distinct.join() === allZonesOf(jurisdiction).join()
    ? jurisdiction
    : `${jurisdiction}@${distinct.join('+')}`;
}

/**
 * Sets or, with null, removes the operator's rules for this process. Returns their faults, and then changes nothing.
 * @param version the version of the rules as they are stored; 0 for none
 */
export function overlayCallingRules(overlay: RuleOverlay | null, version = 0): OverlayFault | null {
  const fault = setOverlay(overlay, version);
  if (fault === null) resolvedKeys.clear();
  return fault;
}

/**
 * Parses a key under the current rules.
 * @throws UnknownTimeZoneError for an invalid key, on which a gate stays shut.
 */
export function resolveKey(key: CallingKey): ResolvedKey {
  const known = resolvedKeys.get(key);
  if (known !== undefined) return known;
  const resolved = readKey(key);
  if (resolvedKeys.size >= keysAtMost) resolvedKeys.clear();
  resolvedKeys.set(key, resolved);
  return resolved;
}

function readKey(key: CallingKey): ResolvedKey {
  const colon = key.indexOf(':');
  if (colon === -1) {
    return { policy: 'none', zones: [timeZone(key)], rules: [], caps: null, isNowhere: false };
  }
  const policy = key.slice(0, colon) === 'strict' ? 'strict' : 'standard';
  const text = key.slice(colon + 1);
  const ofNowhere = { policy, zones: [timeZone('UTC')], rules: [], caps: null, isNowhere: true } as const;
  if (text === nowhere) return ofNowhere;
  const places = text.split(',').flatMap((place) => possibleRegions(parsePlace(place)));
  // Without a clock there are no hours to observe.
  if (places.some(({ zones }) => zones.length === 0)) {
    return ofNowhere;
  }
  const rules = places.flatMap(({ jurisdiction, zones }) =>
    rulesOf(jurisdiction, policy).flatMap((rule) => zones.map((zone) => ({ rule, zone: timeZone(zone) }))),
  );
  return {
    policy,
    zones: distinctClocks(places.flatMap(({ zones }) => zones)).map(timeZone),
    // The country's rule is the same in all of its regions.
    rules: [...new Map(rules.map((one) => [`${one.rule.jurisdiction} ${one.zone.name}`, one])).values()],
    caps: distinctCaps(rules.flatMap(({ rule }) => rule.caps ?? [])),
    isNowhere: false,
  };
}

function distinctCaps(caps: readonly CallCap[]): readonly CallCap[] | null {
  if (caps.length === 0) return null;
  return [...new Map(caps.map((cap) => [`${cap.calls} ${cap.hours}`, cap])).values()];
}

function parsePlace(text: string): Place {
  const [jurisdiction = '', zones] = text.split('@');
  return { jurisdiction, zones: zones === undefined ? allZonesOf(jurisdiction) : zones.split(betweenZones) };
}

const allZonesOf = (jurisdiction: string) =>
  zonesOf(jurisdiction.endsWith(anyRegion) ? countryOf(jurisdiction) : jurisdiction);

/** The zone that is shown for a recipient, and whose dates count its rounds. */
export function zoneOfKey(key: CallingKey): string {
  const colon = key.indexOf(':');
  return colon === -1 ? key : (resolveKey(key).zones[0]?.name ?? 'UTC');
}

/** The policy under which a key was made. */
export function policyOfKey(key: CallingKey): CallingPolicy {
  if (!key.includes(':')) return 'none';
  return key.startsWith('strict:') ? 'strict' : 'standard';
}
