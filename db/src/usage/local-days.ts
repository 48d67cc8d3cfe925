import { timeZone } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';

/**
 * The rows `(from_at, to_at, local_offset)`: the stretches of a span in which the zone has one offset from UTC. Postgres gets offsets and no name of
 * a zone, because it may not know the name: Debian, for example, leaves `US/Eastern` and `Asia/Calcutta` to a package of their own.
 */
export function localOffsets(zone: string, from: Date, to: Date): RawBuilder<unknown> {
  const segments = timeZone(zone).segments(from.getTime(), to.getTime());
  return sql`select from_at, to_at, offset_ms * interval '1 millisecond' as local_offset from unnest(
    ${segments.map(({ fromMs }) => new Date(fromMs))}::timestamptz[],
    ${segments.map(({ toMs }) => new Date(toMs))}::timestamptz[],
    ${segments.map(({ offsetMs }) => offsetMs)}::float8[]) as t(from_at, to_at, offset_ms)`;
}

/** The local day of an instant of the span, as `2026-03-01`. */
export const localDay: RawBuilder<string> = sql`(at at time zone 'UTC' + local_offset)::date::text`;
