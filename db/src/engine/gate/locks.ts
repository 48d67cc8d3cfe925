import { sql, type RawBuilder } from 'kysely';

/**
 * Advisory locks that every gate takes in share mode before it locks rows. What they stand for is changed under the same lock alone,
 * so such a change waits for gates that are open, and those that come after it read what it has left (migration 0015 has the
 * other half, as triggers: no path can forget it). The lock of the campaign is in campaign-locks.ts; the order of all of them in
 * docs/architecture.md.
 */

/** Calls per second of all providers: changed rarely, and held by gates for milliseconds. */
export const sharedProviderPaces: RawBuilder<unknown> = sql`pg_advisory_xact_lock_shared(1, 1)`;

/** The suppression list of an organization. */
export function sharedSuppressions(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pg_advisory_xact_lock_shared(3, hashtext((${organizationId})::text))`;
}
