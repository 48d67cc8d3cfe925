import { sql, type RawBuilder } from 'kysely';
import { dialedAt } from '../caller-ids/uses.ts';

/** The caller-id part of a campaign gate; empty for an organization without caller ids. */
export interface CallerIdsOfGate {
  areNeeded: RawBuilder<unknown>;
  isThere: RawBuilder<unknown>;
  number: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  /** A step before the dials are read, with its trailing comma. */
  numbers: RawBuilder<unknown>;
  /** Joined to the dials `x`. */
  table: RawBuilder<unknown>;
  /** A step after the rows of calls, with its trailing comma. */
  dialed: RawBuilder<unknown>;
}

export const noCallerIds: CallerIdsOfGate = {
  areNeeded: sql`false`,
  isThere: sql`null::boolean`,
  number: sql`null::text`,
  id: sql`null::uuid`,
  numbers: sql``,
  table: sql``,
  dialed: sql``,
};

/** Reads the organization's caller ids once per gate. With a join, Postgres would hash the table for each call, which takes 10 µs per call. */
export function callerIdsOfDials(organizationId: string): CallerIdsOfGate {
  const number = sql`(select numbers from active_caller_ids) ->> permit.caller_id::text`;
  return {
    areNeeded: sql`true`,
    isThere: sql`${number} is not null`,
    number,
    id: sql`permit.caller_id`,
    numbers: sql`
    active_caller_ids as materialized (
      select jsonb_object_agg(id, phone_number) as numbers from caller_ids
      where organization_id = ${organizationId} and state = 'active'),`,
    table: sql`
      left join lateral (select caller_id from caller_id_uses where call_id = x.call_id limit 1) permit on true`,
    dialed: sql`dialed as (
      update caller_id_uses u set ${dialedAt(sql`placed.gated_at`)} from placed where u.call_id = placed.id),
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
