import { findTimeZone } from '@outdial/core';
import { closest, distance } from 'fastest-levenshtein';

/** The probable meanings of an abbreviation; the most likely first. */
const meant: Readonly<Record<string, readonly string[]>> = {
  UTC: ['UTC'],
  GMT: ['UTC', 'Europe/London', 'Africa/Accra'],
  Z: ['UTC'],
  UCT: ['UTC'],
  ZULU: ['UTC'],
  UNIVERSAL: ['UTC'],
  GREENWICH: ['UTC', 'Europe/London'],
  EST: ['America/New_York', 'America/Panama'],
  EDT: ['America/New_York'],
  EST5EDT: ['America/New_York'],
  CST: ['America/Chicago', 'Asia/Shanghai', 'America/Havana'],
  CDT: ['America/Chicago'],
  CST6CDT: ['America/Chicago'],
  MST: ['America/Denver', 'America/Phoenix'],
  MDT: ['America/Denver'],
  MST7MDT: ['America/Denver'],
  PST: ['America/Los_Angeles', 'Asia/Manila'],
  PDT: ['America/Los_Angeles'],
  PST8PDT: ['America/Los_Angeles'],
  AKST: ['America/Anchorage'],
  HST: ['Pacific/Honolulu'],
  AST: ['America/Halifax', 'Asia/Riyadh'],
  NST: ['America/St_Johns'],
  BRT: ['America/Sao_Paulo'],
  ART: ['America/Argentina/Buenos_Aires'],
  BST: ['Europe/London', 'Asia/Dhaka'],
  IST: ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem'],
  WET: ['Europe/Lisbon'],
  CET: ['Europe/Berlin', 'Europe/Paris'],
  CEST: ['Europe/Berlin', 'Europe/Paris'],
  MET: ['Europe/Berlin'],
  EET: ['Europe/Athens', 'Europe/Helsinki'],
  EEST: ['Europe/Athens', 'Europe/Helsinki'],
  MSK: ['Europe/Moscow'],
  SAST: ['Africa/Johannesburg'],
  WAT: ['Africa/Lagos'],
  EAT: ['Africa/Nairobi'],
  PKT: ['Asia/Karachi'],
  SGT: ['Asia/Singapore'],
  HKT: ['Asia/Hong_Kong'],
  JST: ['Asia/Tokyo'],
  KST: ['Asia/Seoul'],
  AWST: ['Australia/Perth'],
  ACST: ['Australia/Adelaide', 'Australia/Darwin'],
  AEST: ['Australia/Sydney', 'Australia/Brisbane'],
  AEDT: ['Australia/Sydney'],
  NZST: ['Pacific/Auckland'],
  NZDT: ['Pacific/Auckland'],
};

/** Describes the fault in the name of a time zone to the caller; suggests candidates if there are any. */
export function timeZoneFault(name: string): string {
  return `${rule}${timeZoneHint(name)}`;
}

const rule = 'Input should be an IANA time zone with a slash, such as America/New_York, or UTC';

/** A list may have a million different wrong names, which do not all need a hint. */
const hintsAtMost = 100;

/** Caches hints for the names of one list. Only the first hundred names get a hint. */
export class TimeZoneHints {
  private readonly found = new Map<string, string>();

  hint(name: string): string {
    const known = this.found.get(name);
    if (known !== undefined) return known;
    if (this.found.size >= hintsAtMost) return '';
    const hint = this.find(name);
    this.found.set(name, hint);
    return hint;
  }

  /** Slow, so it is called once for each name. */
  find(name: string): string {
    return timeZoneHint(name);
  }

  fault(name: string): string {
    return `${rule}${this.hint(name)}`;
  }
}

/** `; perhaps Europe/London, or Asia/Dhaka` for `BST`; empty for a name that means nothing. */
function timeZoneHint(name: string): string {
  if (name.length > 64) return '';
  const ways = [abbreviated, canonicalNames, namesOfCity, longNames, misspelled];
  for (const candidatesOf of ways) {
    const candidates = candidatesOf(name);
    if (candidates.length > 0) return `; perhaps ${candidates.join(', or ')}`;
  }
  return '';
}

const abbreviated = (name: string): readonly string[] => meant[name.toUpperCase()] ?? [];

/** Created on first use, and cached. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const byLowerName = once(
  () => new Map(Intl.supportedValuesOf('timeZone').map((zone) => [zone.toLowerCase(), zone])),
);

const byCity = once(() =>
  Map.groupBy(byLowerName().values(), (zone) => zone.split('/').at(-1)?.toLowerCase() ?? ''),
);

const byLongName = once(() => {
  const likely = new Set(Object.values(meant).map(([first = 'UTC']) => first));
  return Map.groupBy(likely, longNameOf);
});

/** `Eastern Standard Time`, as Windows and spreadsheets write it, and `Eastern Time`. */
function longNames(name: string): readonly string[] {
  const asked = name.trim().toLowerCase();
  if (!asked.endsWith(' time')) return [];
  const generic = asked.replace(/ (standard|daylight|summer) time$/, ' time');
  return byLongName().get(asked) ?? byLongName().get(generic) ?? [];
}

/** Names change, so only current names are suggested. */
const aDayMs = Date.UTC(2026, 0, 1);

function longNameOf(timeZone: string): string | undefined {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longGeneric' }).formatToParts(
    aDayMs,
  );
  return parts.find(({ type }) => type === 'timeZoneName')?.value.toLowerCase();
}

/** Names with one or two typing errors, such as `Europe/Berln`. */
function misspelled(name: string): string[] {
  if (!name.includes('/')) return [];
  const asked = name.trim().toLowerCase();
  const nearest = closest(asked, [...byLowerName().keys()]);
  return distance(asked, nearest) <= 2 ? [byLowerName().get(nearest) ?? nearest] : [];
}

/** Old names of one word (`Japan`, `Eire`) are links to names with a slash. */
function canonicalNames(name: string): string[] {
  if (name.includes('/')) return [];
  const canonical = findTimeZone(name)?.name;
  return canonical?.includes('/') ? [canonical] : [];
}

/** Zones are named after cities, so people often write only the city. */
function namesOfCity(name: string): readonly string[] {
  const city = name.split('/').at(-1)?.trim().toLowerCase().replaceAll(/[ -]/g, '_') ?? '';
  return byCity().get(city) ?? [];
}
