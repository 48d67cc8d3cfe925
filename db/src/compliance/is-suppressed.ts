import { sql, type RawBuilder } from 'kysely';

/** Whether a suppression `s` of an organization has not expired. */
export const isSuppressionInForce = (now: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(s.expires_at is null or s.expires_at > ${now})`;

interface OfNumber {
  organization_id: RawBuilder<unknown>;
  phone_number: RawBuilder<unknown>;
  now: RawBuilder<unknown>;
}

/** Whether a number is on the list of the organization or of the installation, or of a person who was erased and had asked for no calls. */
export function isSuppressed(of: OfNumber): RawBuilder<boolean> {
  return sql`(exists (
      select from suppressions s where s.organization_id = ${of.organization_id} and s.phone_number = ${of.phone_number}
        and ${isSuppressionInForce(of.now)})
    or ${isSuppressedElsewhere(of)})`;
}

/** The same without the list of the organization. */
export function isSuppressedElsewhere(of: OfNumber): RawBuilder<boolean> {
  return sql`(exists (select from installation_suppressions i where i.phone_number = ${of.phone_number})
    -- Most organizations have erased no suppressed person, and then need no hash.
    or case when exists (select from erased_suppressions s where s.organization_id = ${of.organization_id})
      then exists (select from erased_suppressions s where s.organization_id = ${of.organization_id}
        and s.number_hash = (select erased_number_hash(${of.organization_id}, ${of.phone_number}))
        and ${isSuppressionInForce(of.now)}) else false end)`;
}
