import { sql, type RawBuilder } from 'kysely';

/**
 * Advisory locks that every gate takes in share mode before it locks rows. The data that they protect changes only under the same lock,
 * so such a change waits for open gates, and later gates see its result (migration 0015 has the
 * other half, as triggers, so no path can forget it). The campaign's lock is in campaign-locks.ts; the order of all locks is in
 * docs/architecture.md.
 */

/** Calls per second of all providers: rarely changed, and locked by gates for milliseconds. */
export const sharedProviderPaces: RawBuilder<unknown> = sql`pg_advisory_xact_lock_shared(1, 1)`;

/** The suppression list of an organization. */
export function sharedSuppressions(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pg_advisory_xact_lock_shared(3, hashtext((${organizationId})::text))`;
}
