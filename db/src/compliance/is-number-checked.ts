import { sql, type RawBuilder } from 'kysely';

/**
 * Whether the newest query of reassigned numbers is at most so many days old, and says that the number was not given up, as all others of that instant
 * do. True if `days` is null, null without a query.
 */
export function isNumberChecked(of: {
  organization_id: RawBuilder<unknown>;
  phone_number: RawBuilder<unknown>;
  now: RawBuilder<unknown>;
  days: RawBuilder<unknown>;
}): RawBuilder<boolean | null> {
  return sql`case when ${of.days} is null then true else (
      select q.answer = 'no' and q.queried_at > ${of.now} - ${of.days} * interval '24 hours'
      from number_queries q where q.organization_id = ${of.organization_id} and q.phone_number = ${of.phone_number}
      order by q.queried_at desc, (q.answer = 'no') limit 1) end`;
}
