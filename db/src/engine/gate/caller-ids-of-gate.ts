import { sql, type RawBuilder } from 'kysely';
import { dialedAt } from '../../caller-ids/uses.ts';

/** The caller-id part of a campaign gate; empty for an organization without caller ids. */
export interface CallerIdsOfGate {
  areNeeded: RawBuilder<unknown>;
  isThere: RawBuilder<unknown>;
  number: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  /** Joined to the claims `x`. */
  table: RawBuilder<unknown>;
  /** A step after the rows of calls, with its trailing comma. */
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

export const callerIdsOfClaims: CallerIdsOfGate = {
  areNeeded: sql`true`,
  isThere: sql`own.number is not null`,
  number: sql`own.number`,
  id: sql`own.id`,
  table: sql`
      left join lateral ${callerIdOf(sql`x.claim_id`)} own on true`,
  dialed: sql`dialed as (
      update caller_id_uses u set ${dialedAt(sql`placed.gated_at`)} from placed where u.claim_id = placed.id),
    `,
};

/** The number of this claim's permit, if it may be used: a derived table of (id, number) with at most one row. */
export function callerIdOf(claimId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select c.id, c.phone_number as number from caller_id_uses u
    join caller_ids c on c.organization_id = u.organization_id and c.id = u.caller_id
    where u.claim_id = ${claimId} and c.state = 'active' limit 1)`;
}
