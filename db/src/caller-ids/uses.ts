import { sql, type RawBuilder } from 'kysely';

/**
 * A permit counts from its dial, because its call may wait for its gate. A dial this soon after the permit only sets `dialed_at` and not
 * `used_at`, so that no index is updated.
 */
const dialWithin = sql`interval '2 seconds'`;

/** The assignments of a gate in the permit `u` of a dial. */
export function dialedAt(at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`dialed_at = ${at}, used_at = case when ${at} > u.used_at + ${dialWithin} then ${at} else u.used_at end`;
}

/** Dials with a caller id after an instant, as a derived table of (at). */
export function usesSince(callerId: RawBuilder<unknown>, since: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select coalesce(dialed_at, used_at) as at from caller_id_uses
    where caller_id = ${callerId} and used_at > ${since} - ${dialWithin} and coalesce(dialed_at, used_at) > ${since})`;
}

/** Permits of a caller id that were taken at or after an instant, as a derived table of (at). */
export function usesTakenSince(callerId: RawBuilder<unknown>, at: Date): RawBuilder<unknown> {
  return sql`(select used_at as at from caller_id_uses where caller_id = ${callerId} and used_at >= ${at}::timestamptz)`;
}

/** The caller id that last called the number of a row with organization_id and phone_number, or null. */
export function lastCallerIdOf(row: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select l.caller_id from calls l
    where l.organization_id = ${row}.organization_id and l.phone_number = ${row}.phone_number
      and l.kind = 'phone_outbound' and l.caller_id is not null
    order by l.created_at desc limit 1)`;
}
