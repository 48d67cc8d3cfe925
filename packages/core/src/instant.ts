import { DateTime } from 'luxon';
import { dayMs, type LocalDay, parseLocalDate } from './local-date.ts';
import { firstInstantOfLocalTime, instantsOfLocalSpan } from './local-span.ts';
import { findTimeZone, type TimeZone } from './time-zone.ts';

export type ParsedInstant =
  | { kind: 'ok'; at: Date }
  | { kind: 'invalid'; reason: 'not_a_date_time' | 'no_such_date_time' | 'unknown_time_zone' };

const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * Parses `start_date` or `end_date` (docs/behaviour.md): a date-time of ISO 8601. Without an offset it is read in
 * `zone`. A bare date is its first instant for a start and its last millisecond for an end. A time that a clock change skips is the
 * first instant after the gap; if it is repeated, a start takes the first occurrence, an end the last.
 */
export function parseInstant(text: string, args: { zone: string; bound: 'start' | 'end' }): ParsedInstant {
  const zone = findTimeZone(args.zone);
  if (zone === null) return { kind: 'invalid', reason: 'unknown_time_zone' };
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const day = parseLocalDate(text);
    if (day === null) return { kind: 'invalid', reason: 'no_such_date_time' };
    return { kind: 'ok', at: new Date(args.bound === 'start' ? dayStartMs(zone, day) : dayEndMs(zone, day)) };
  }
  const match = dateTimePattern.exec(text);
  if (match === null) return { kind: 'invalid', reason: 'not_a_date_time' };
  const [, date = '', time = '', offset] = match;
  const written = DateTime.fromISO(`${date}T${time}${offset?.toUpperCase() ?? ''}`, { zone: 'utc' });
  if (!written.isValid) return { kind: 'invalid', reason: 'no_such_date_time' };
  if (offset !== undefined) return { kind: 'ok', at: written.toJSDate() };
  return { kind: 'ok', at: new Date(instantOfLocalMs(zone, written.toMillis(), args.bound)) };
}

function dayStartMs(zone: TimeZone, day: LocalDay): number {
  return firstInstantOfLocalTime(zone, day * dayMs);
}

/** One millisecond before the next day; a date that the zone skips ends where it would have begun. */
function dayEndMs(zone: TimeZone, day: LocalDay): number {
  const last = instantsOfLocalSpan(zone, day * dayMs, (day + 1) * dayMs).at(-1);
  return (last?.toMs ?? dayStartMs(zone, day)) - 1;
}

function instantOfLocalMs(zone: TimeZone, localMs: number, bound: 'start' | 'end'): number {
  if (bound === 'start') return firstInstantOfLocalTime(zone, localMs);
  const last = instantsOfLocalSpan(zone, localMs, localMs + 1).at(-1);
  return last?.fromMs ?? firstInstantOfLocalTime(zone, localMs);
}
