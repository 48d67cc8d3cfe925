import { findTimeZone } from './time-zone.ts';

/**
 * Whether callers may send this name of a time zone: an IANA name with a slash, in upper or lower case, or `UTC`. Abbreviations are
 * not allowed: `EST` is New York in winter, but Panama all year, and `BST` is London in summer, or Bangladesh. Offsets like `+02:00`, which `Intl`
 * also accepts, have no clock changes.
 */
export function isTimeZone(name: string): boolean {
  return (name === 'UTC' || name.includes('/')) && findTimeZone(name) !== null;
}
