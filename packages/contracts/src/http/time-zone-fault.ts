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
  const rule = 'Input should be an IANA time zone with a slash, such as America/New_York, or UTC';
  return `${rule}${timeZoneHint(name)}`;
}

/** `; perhaps Europe/London, or Asia/Dhaka` for `BST`; empty for a name that means nothing. */
export function timeZoneHint(name: string): string {
  const ways = [abbreviated, canonicalNames, namesOfCity, longNames, misspelled];
  for (const candidatesOf of ways) {
    const candidates = candidatesOf(name);
    if (candidates.length > 0) return `; perhaps ${candidates.join(', or ')}`;
  }
  return '';
}

const abbreviated = (name: string): readonly string[] => meant[name.toUpperCase()] ?? [];

/** `Eastern Standard Time`, as Windows and spreadsheets write it, and `Eastern Time`. */
function longNames(name: string): string[] {
  const asked = name.trim().toLowerCase();
  if (!asked.endsWith(' time')) return [];
  const zones = [...new Set(Object.values(meant).map(([first = 'UTC']) => first))];
  return zones.filter((zone) => {
    const generic = longNameOf(zone);
    return asked === generic || asked.replace(/ (standard|daylight|summer) time$/, ' time') === generic;
  });
}

/** Names change: those of this day are in use. */
const aDayMs = Date.UTC(2026, 0, 1);

function longNameOf(timeZone: string): string | undefined {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longGeneric' }).formatToParts(
    aDayMs,
  );
  return parts.find(({ type }) => type === 'timeZoneName')?.value.toLowerCase();
}

/** Names with one or two slips, such as `Europe/Berln`. */
function misspelled(name: string): string[] {
  if (!name.includes('/') || name.length > 64) return [];
  const asked = name.trim().toLowerCase();
  const nearest = closest(asked, Intl.supportedValuesOf('timeZone'));
  return distance(asked, nearest.toLowerCase()) <= 2 ? [nearest] : [];
}

/** Old names of one word (`Japan`, `Eire`) are links to names with a slash. */
function canonicalNames(name: string): string[] {
  if (name.includes('/')) return [];
  const canonical = findTimeZone(name)?.name;
  return canonical?.includes('/') ? [canonical] : [];
}

/** Zones are named after cities, so people often write only the city. */
function namesOfCity(name: string): string[] {
  const city = name.split('/').at(-1)?.trim().toLowerCase().replaceAll(/[ -]/g, '_');
  return Intl.supportedValuesOf('timeZone').filter((zone) => zone.split('/').at(-1)?.toLowerCase() === city);
}
