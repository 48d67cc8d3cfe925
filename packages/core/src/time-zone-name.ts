import { findTimeZone } from './time-zone.ts';

/**
 * Is this a name of a time zone that callers may send? An IANA name with a slash, in which case does not matter, or `UTC`. Abbreviations
 * are none: `EST` is New York's winter, and Panama's all year, and `BST` is London's summer or Bangladesh. Offsets like `+02:00`, which `Intl`
 * takes too, have no clock changes.
 */
export function isTimeZone(name: string): boolean {
  return (name === 'UTC' || name.includes('/')) && findTimeZone(name) !== null;
}

/** What people may mean by an abbreviation; the likeliest first. */
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

/** What is wrong with the name of a time zone, in words for who sent it; names candidates where there are some. */
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

/** Zones are named for cities, so people write the city alone. */
function namesOfCity(name: string): string[] {
  const city = name.split('/').at(-1)?.trim().toLowerCase().replaceAll(/[ -]/g, '_');
  return Intl.supportedValuesOf('timeZone').filter((zone) => zone.split('/').at(-1)?.toLowerCase() === city);
}
