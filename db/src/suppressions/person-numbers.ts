import { ConflictError, numbersOfPersonAtMost } from '@outdial/core';
import { sql } from 'kysely';
import { isSuppressedElsewhere, isSuppressionInForce } from '../compliance/is-suppressed.ts';
import { requireRowsWithin } from '../compliance/row-limits.ts';
import type { Executor, Tx } from '../transaction.ts';
import { addSuppressions, checkCallsOfSuppressed } from './add-suppressions.ts';
import type { PersonKey } from '../keys.ts';

export interface PersonNumber {
  phoneNumber: string;
  /** The caller's own name of the person. */
  personRef: string;
}

/**
 * Says to whom numbers belong, and suppresses those of people who have a suppressed number. Returns how many numbers were not known before. A number belongs to
 * one person at a time. Gates wait for the commit.
 * @throws ConflictError `quota_exceeded`
 */
export async function addPersonNumbers(
  tx: Tx,
  { organizationId, numbers }: { organizationId: string; numbers: readonly PersonNumber[] },
): Promise<number> {
  const phoneNumbers = numbers.map((one) => one.phoneNumber);
  const { rows } = await sql<{ is_new: boolean }>`
    insert into person_numbers as p (organization_id, phone_number, person_ref, created_at)
    select distinct on (phone_number) ${organizationId}::uuid, phone_number, person_ref, engine_now()
    from unnest(${phoneNumbers}::text[], ${numbers.map((one) => one.personRef)}::text[]) with ordinality
      as given (phone_number, person_ref, n)
    order by phone_number, n desc
    on conflict (organization_id, phone_number) do update set person_ref = excluded.person_ref
    returning p.xmax = 0 as is_new`.execute(tx);
  await requireRowsWithin(tx, { organizationId, relation: 'person_numbers' });
  await requireFewPerPerson(tx, { organizationId, phoneNumbers });
  const now = sql`(select engine_now())`;
  const suppressed = await sql<{ phone_number: string; expires_at: Date | null }>`
    with people as materialized (
      select distinct person_ref from person_numbers where organization_id = ${organizationId} and phone_number = any(${phoneNumbers}::text[])),
    numbers as materialized (
      select n.person_ref, n.phone_number, case
        -- A request that is kept elsewhere than on the list has no end.
        when ${isSuppressedElsewhere({
          organization_id: sql`n.organization_id`,
          phone_number: sql`n.phone_number`,
          now,
        })} then 'infinity'
        when s.phone_number is not null then coalesce(s.expires_at, 'infinity') end as held_until
      from people join person_numbers n on n.organization_id = ${organizationId} and n.person_ref = people.person_ref
      left join suppressions s on s.organization_id = n.organization_id and s.phone_number = n.phone_number
        and ${isSuppressionInForce(now)}),
    opt_outs as (select person_ref, max(held_until) as until from numbers group by person_ref)
    select n.phone_number, nullif(o.until, 'infinity') as expires_at
    from numbers n join opt_outs o on o.person_ref = n.person_ref
    where o.until > coalesce(n.held_until, '-infinity')`.execute(tx);
  if (suppressed.rows.length > 0) {
    const suppressions = suppressed.rows.map((row) => ({
      phoneNumber: row.phone_number,
      reason: 'another number of the person is suppressed',
      expiresAt: row.expires_at,
    }));
    await addSuppressions(tx, {
      organizationId,
      suppressions,
      origin: { source: 'person', createdBy: null },
    });
    await checkCallsOfSuppressed(tx, {
      organizationId,
      phoneNumbers: suppressions.map((one) => one.phoneNumber),
    });
  }
  return rows.filter((row) => row.is_new).length;
}

/** So that one request cannot suppress a whole list, if the caller gives the same name to everybody. */
async function requireFewPerPerson(
  tx: Tx,
  { organizationId, phoneNumbers }: { organizationId: string; phoneNumbers: readonly string[] },
): Promise<void> {
  const { rows } = await sql`
    select from person_numbers n where n.organization_id = ${organizationId} and n.person_ref in (
      select person_ref from person_numbers where organization_id = ${organizationId} and phone_number = any(${phoneNumbers}::text[]))
    group by n.person_ref having count(*) > ${numbersOfPersonAtMost} limit 1`.execute(tx);
  if (rows.length === 0) return;
  throw new ConflictError(
    'quota_exceeded',
    `A person_ref can have ${numbersOfPersonAtMost} phone numbers. Send the id of one person, and leave it out where you do not know who it is`,
  );
}

/** The name of the person to whom a number belongs, and the person's other numbers; null if unknown. */
export async function findPersonOfNumber(
  db: Executor,
  { organizationId, phoneNumber }: PersonKey,
): Promise<{ person_ref: string; other_numbers: string[] } | null> {
  const { rows } = await sql<{ person_ref: string; other_numbers: string[] }>`
    select p.person_ref, array(
      select o.phone_number from person_numbers o
      where o.organization_id = p.organization_id and o.person_ref = p.person_ref and o.phone_number <> p.phone_number
      order by o.phone_number) as other_numbers
    from person_numbers p where p.organization_id = ${organizationId} and p.phone_number = ${phoneNumber}`.execute(
    db,
  );
  return rows[0] ?? null;
}
