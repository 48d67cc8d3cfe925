import { longestPersonCapHours } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Db, Tx } from '../transaction.ts';
import { effectivePersonCaps } from './person-free-at.ts';

/**
 * Locks or inserts the ledger's rows of people in a fixed order, if the organization has caps. A common table expression of a statement that
 * locks for a gate.
 * @param people rows of (organization_id, phone_number)
 * @param organizationId if all rows have the same one, so that its caps are read once
 */
export function lockedPeople(
  people: RawBuilder<unknown>,
  organizationId: RawBuilder<unknown> = sql`one.organization_id`,
): RawBuilder<unknown> {
  return sql`
    insert into called_people (organization_id, phone_number)
    select distinct one.organization_id, one.phone_number from ${people} one
    where ${effectivePersonCaps(organizationId)} is not null
    order by one.organization_id, one.phone_number
    -- Only locks the row.
    on conflict (organization_id, phone_number) do update set phone_number = excluded.phone_number where false`;
}

/**
 * Records dials of people whose rows are locked. A common table expression.
 * @param dials rows of (organization_id, phone_number, campaign_id, at)
 */
export function countedDials(dials: RawBuilder<unknown>): RawBuilder<unknown> {
  const since = sql`one.at - ${longestPersonCapHours} * interval '1 hour'`;
  // Most dials are the first or the newest of their person. Sorting would cost them 8 µs each.
  const isNext = sql`coalesce(p.dialed_at[1] > ${since} and p.dialed_at[cardinality(p.dialed_at)] <= one.at, true)`;
  const inOrder = (column: RawBuilder<unknown>) => sql`(
      select array_agg(${column} order by d.at)
      from unnest(p.dialed_at || one.at, p.campaign_ids || one.campaign_id) as d(at, by) where d.at > ${since})`;
  return sql`
    update called_people p
    set dialed_at = case when ${isNext} then p.dialed_at || one.at else ${inOrder(sql`d.at`)} end,
        campaign_ids = case when ${isNext} then p.campaign_ids || one.campaign_id else ${inOrder(sql`d.by`)} end
    from ${dials} one
    where p.organization_id = one.organization_id and p.phone_number = one.phone_number`;
}

/** Removes the dial of a call whose attempt is undone and whose row is locked. */
export async function uncountDial(tx: Tx, callId: string): Promise<void> {
  const uncounted = sql`
    update called_people p
    set (dialed_at, campaign_ids) = (
      select coalesce(array_agg(d.at order by d.at), '{}'), coalesce(array_agg(d.by order by d.at), '{}')
      from unnest(p.dialed_at, p.campaign_ids) as d(at, by) where d.at <> c.gated_at)
    from calls c
    where c.id = ${callId} and p.organization_id = c.organization_id and p.phone_number = c.phone_number
      and c.gated_at = any(p.dialed_at)`;
  await deferred(uncounted, tx);
}

/** Records conversations about debts. The rows of the calls are locked. */
export async function noteConversations(tx: Tx, callIds: readonly string[], now: Date): Promise<void> {
  if (callIds.length === 0) return;
  const noted = sql`
    with people as materialized (
      select p.organization_id, p.phone_number
      from calls c join called_people p on p.organization_id = c.organization_id and p.phone_number = c.phone_number
      where c.id = any(${callIds}::uuid[])
      order by p.organization_id, p.phone_number for no key update of p)
    update called_people p set conversation_at = greatest(p.conversation_at, ${now}::timestamptz)
    from people where p.organization_id = people.organization_id and p.phone_number = people.phone_number`;
  await deferred(noted, tx);
}

/** Deletes a batch of people who were not called for longer than any cap, and returns how many. */
export async function forgetCalledPeople(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from called_people where ctid = any(array(
      select ctid from called_people
      where coalesce(dialed_at[cardinality(dialed_at)], '-infinity') < (select engine_now()) - ${longestPersonCapHours} * interval '1 hour'
        and coalesce(conversation_at, '-infinity') < (select engine_now()) - ${longestPersonCapHours} * interval '1 hour'
      limit ${limit} for update skip locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
