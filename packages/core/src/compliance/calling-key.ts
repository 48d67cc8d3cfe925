import { timeZone, type TimeZone } from '../time-zone.ts';
import { type CallerPlace, jurisdictionsOfPlace } from './caller-place.ts';
import type { CallingPolicy } from './calling-policy.ts';
import type { CallingRule } from './calling-rule.ts';
import { placesOfNumber, type Place } from './places/number-places.ts';
import { countriesOfZone, distinctClocks, isZoneOf, zonesOf } from './places/zones.ts';
import { countryOf, hasRegionalRule, regionsWithRules, rulesOf } from './rulebook.ts';

/**
 * By what a recipient's windows are asked: an IANA zone where the organization's policy is `none`, and else the policy with the places
 * in which the person may be, as `strict:US-FL` or `standard:US@America/New_York+America/Chicago`. A text, so that an index holds it;
 * all recipients of one key may be called at the same times.
 */
export type CallingKey = string;

/** A key, ready to be asked. */
export interface ResolvedKey {
  policy: CallingPolicy;
  /** Never empty; the first keeps the dates of rounds. */
  zones: readonly TimeZone[];
  /** The rules that hold, each by the clock of a zone; all of them must allow a call. */
  rules: ReadonlyArray<{ rule: CallingRule; zone: TimeZone }>;
  /** The number is in no country and the caller has not said where the person is: there is no time at which to call. */
  isNowhere: boolean;
}

const nowhere = 'nowhere';
const resolvedKeys = new Map<CallingKey, ResolvedKey>();
const keysAtMost = 5_000;

/** The key of a recipient under a policy. `campaignZone` applies, under `none` alone, to a recipient without a zone of their own. */
export function callingKeyOf(
  policy: CallingPolicy,
  person: CallerPlace & { phoneNumber: string },
  campaignZone: string,
): CallingKey {
  if (policy === 'none') return person.timezone ?? campaignZone;
  const places = placesOf(person).flatMap((place) => underPolicy(place, policy));
  if (places.length === 0) return `${policy}:${nowhere}`;
  return `${policy}:${[...new Set(places.map(formatPlace))].toSorted().join(',')}`;
}

/** The places that are plausible: what the caller has said, or else what the number says. */
export function placesOf(person: CallerPlace & { phoneNumber: string }): Place[] {
  const { timezone } = person;
  const ofNumber = placesOfNumber(person.phoneNumber);
  const named = jurisdictionsOfPlace(person);
  // Of a country alone the number may know the state.
  const finer = ofNumber.filter(({ jurisdiction }) => named.includes(countryOf(jurisdiction)));
  const places =
    named.length === 0
      ? ofNumber
      : finer.length > 0
        ? finer
        : named.map((jurisdiction) => ({ jurisdiction, zones: zonesOf(jurisdiction) }));
  if (timezone === undefined) return [...places];
  const there = places.map(({ jurisdiction }) => ({ jurisdiction, zones: [timezone] }));
  if (named.length > 0 || places.some(({ jurisdiction }) => isZoneOf(timezone, jurisdiction))) return there;
  // Somebody with a number of one country who lives by the clock of another: both have a say.
  return [
    ...there,
    ...countriesOfZone(timezone).map((jurisdiction) => ({ jurisdiction, zones: [timezone] })),
  ];
}

/** Under `standard` only the country's rule counts, by the clocks of its region; under `strict` an unknown region may be any of them. */
function underPolicy({ jurisdiction, zones }: Place, policy: Exclude<CallingPolicy, 'none'>): Place[] {
  const country = countryOf(jurisdiction);
  if (policy === 'standard') return [{ jurisdiction: country, zones }];
  if (jurisdiction !== country) {
    return [{ jurisdiction: hasRegionalRule(jurisdiction) ? jurisdiction : country, zones }];
  }
  const regions = regionsWithRules(country).flatMap((region) => {
    // Where the zone is known, regions of other zones are out of the question.
    const plausible = zonesOf(region).filter((zone) => zones.some((one) => sameClock(one, zone)));
    return plausible.length === 0 ? [] : [{ jurisdiction: region, zones: plausible }];
  });
  return [{ jurisdiction, zones }, ...regions];
}

function sameClock(one: string, other: string): boolean {
  return distinctClocks([one, other]).length === 1;
}

/** A place with all zones of its jurisdiction needs none of them written down. */
function formatPlace({ jurisdiction, zones }: Place): string {
  const distinct = distinctClocks(zones);
  return distinct.join() === zonesOf(jurisdiction).join()
    ? jurisdiction
    : `${jurisdiction}@${distinct.join('+')}`;
}

/**
 * What a key means, by the rules of today.
 * @throws UnknownTimeZoneError for a text that is no key, on which a gate fails closed.
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
  if (colon === -1) return { policy: 'none', zones: [timeZone(key)], rules: [], isNowhere: false };
  const policy = key.slice(0, colon) === 'strict' ? 'strict' : 'standard';
  const text = key.slice(colon + 1);
  if (text === nowhere) return { policy, zones: [timeZone('UTC')], rules: [], isNowhere: true };
  const places = text.split(',').map(parsePlace);
  const rules = places.flatMap(({ jurisdiction, zones }) =>
    rulesOf(jurisdiction, policy).flatMap((rule) => zones.map((zone) => ({ rule, zone: timeZone(zone) }))),
  );
  return {
    policy,
    zones: distinctClocks(places.flatMap(({ zones }) => zones)).map(timeZone),
    // The country's rule is the same in all of its regions.
    rules: [...new Map(rules.map((one) => [`${one.rule.jurisdiction} ${one.zone.name}`, one])).values()],
    isNowhere: false,
  };
}

function parsePlace(text: string): Place {
  const [jurisdiction = '', zones] = text.split('@');
  return { jurisdiction, zones: zones === undefined ? zonesOf(jurisdiction) : zones.split('+') };
}

/** The zone that a recipient is shown with, and by whose dates its rounds are counted. */
export function zoneOfKey(key: CallingKey): string {
  const colon = key.indexOf(':');
  return colon === -1 ? key : (resolveKey(key).zones[0]?.name ?? 'UTC');
}

/** The policy under which a key was made. */
export function policyOfKey(key: CallingKey): CallingPolicy {
  if (!key.includes(':')) return 'none';
  return key.startsWith('strict:') ? 'strict' : 'standard';
}
