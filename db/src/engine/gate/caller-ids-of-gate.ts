import { sql, type RawBuilder } from 'kysely';

/** What the gate of a campaign's calls knows of caller ids; nothing for an organization that has none. */
export interface CallerIdsOfGate {
  areNeeded: RawBuilder<unknown>;
  isThere: RawBuilder<unknown>;
  number: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  /** Joined to the claims `x`. */
  table: RawBuilder<unknown>;
  /** A step after the rows of calls, with its comma. */
  dialed: RawBuilder<unknown>;
}

export const noCallerIds: CallerIdsOfGate = {
  areNeeded: sql`false`,
  isThere: sql`null::boolean`,
  number: sql`null::text`,
  id: sql`null::uuid`,
  table: sql``,
  dialed: sql``,
};

/** A permit counts from the dial on: a claim may have waited for its gate. */
export const callerIdsOfClaims: CallerIdsOfGate = {
  areNeeded: sql`true`,
  isThere: sql`own.number is not null`,
  number: sql`own.number`,
  id: sql`own.id`,
  table: sql`
      left join lateral ${callerIdOf(sql`x.claim_id`)} own on true`,
  dialed: sql`dialed as (
      update caller_id_uses u set used_at = placed.gated_at from placed where u.claim_id = placed.id),
    `,
};

/** The number that the claim of this id has a permit for, while it may be called from: a derived table of (id, number) with one row or none. */
export function callerIdOf(claimId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select c.id, c.phone_number as number from caller_id_uses u
    join caller_ids c on c.organization_id = u.organization_id and c.id = u.caller_id
    where u.claim_id = ${claimId} and c.state = 'active' limit 1)`;
}
