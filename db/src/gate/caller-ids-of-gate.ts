import { sql, type RawBuilder } from 'kysely';

/** The caller-id part of a campaign gate; empty for an organization without caller ids. */
export interface CallerIdsOfGate {
  areNeeded: RawBuilder<unknown>;
  isThere: RawBuilder<unknown>;
  number: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  /** A step before the dials are read, with its trailing comma. */
  numbers: RawBuilder<unknown>;
  /** A step after the rows of calls, with its trailing comma. */
  dialed: RawBuilder<unknown>;
}

export const noCallerIds: CallerIdsOfGate = {
  areNeeded: sql`false`,
  isThere: sql`null::boolean`,
  number: sql`null::text`,
  id: sql`null::uuid`,
  numbers: sql``,
  dialed: sql``,
};

/** Reads the organization's caller ids once per gate. With a join, Postgres would hash the table for each call, which takes 10 µs per call. */
export function callerIdsOfDials(organizationId: string): CallerIdsOfGate {
  const number = sql`(select numbers from active_caller_ids) ->> x.caller_id::text`;
  return {
    areNeeded: sql`true`,
    isThere: sql`${number} is not null`,
    number,
    id: sql`x.caller_id`,
    numbers: sql`
    active_caller_ids as materialized (
      select jsonb_object_agg(id, phone_number) as numbers from caller_ids
      where organization_id = ${organizationId} and state = 'active'),`,
    dialed: sql`dialed as (
      insert into caller_id_uses (call_id, organization_id, caller_id, used_at, dialed_at)
      select id, organization_id, caller_id, gated_at, gated_at from placed),
    `,
  };
}

/** The usable caller id of a call's permit as a derived table of (id, number). */
export function callerIdOf(callId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select c.id, c.phone_number as number from caller_id_uses u
    join caller_ids c on c.organization_id = u.organization_id and c.id = u.caller_id
    where u.call_id = ${callId} and c.state = 'active' limit 1)`;
}
