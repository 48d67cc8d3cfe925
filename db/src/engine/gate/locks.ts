import { sql, type RawBuilder } from 'kysely';

/**
 * Advisory locks that every gate takes in share mode before it locks rows. Triggers of migration 0015 take them exclusively for changes of the
 * data that they protect. So a change waits for open gates, and later gates see its result. The campaign's lock is in campaign-locks.ts; the
 * order of all locks is in docs/architecture.md.
 */

/** The paces of all providers. One lock suffices, because they rarely change. */
export const sharedProviderPaces: RawBuilder<unknown> = sql`pg_advisory_xact_lock_shared(1, 1)`;

/** The suppression list of an organization. */
export function sharedSuppressions(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pg_advisory_xact_lock_shared(3, hashtext((${organizationId})::text))`;
}
