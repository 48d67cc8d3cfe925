import { findTimeZone } from './time-zone.ts';

/**
 * Whether callers may send this name of a time zone: an IANA name with a slash, in upper or lower case, or `UTC`. Abbreviations are
 * not allowed: `EST` is New York in winter, but Panama all year, and `BST` is London in summer, or Bangladesh. Offsets like `+02:00`, which `Intl`
 * also accepts, have no clock changes.
 */
export function isTimeZone(name: string): boolean {
  return (name === 'UTC' || name.includes('/')) && findTimeZone(name) !== null;
}

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
  const known = meant[name.toUpperCase()] ?? canonicalNames(name);
  const candidates = known.length === 0 ? namesOfCity(name) : known;
  const rule = 'Input should be an IANA time zone with a slash, such as America/New_York, or UTC';
  return candidates.length === 0 ? rule : `${rule}; perhaps ${candidates.join(', or ')}`;
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
