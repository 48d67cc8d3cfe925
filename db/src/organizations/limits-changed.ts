import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/**
 * The destinations of an organization have changed: no gate of its running campaigns opens under what was read before. It waits for gates that are open.
 * Before the organization's own row is written: campaigns are locked first.
 */
export async function rereadDestinations(db: Executor, organizationId: string): Promise<void> {
  await sql`
    update campaigns set revision = revision + 1 where id in (
      select id from campaigns where organization_id = ${organizationId} and status = 'running'
      order by id for no key update)`.execute(db);
}

/** The quota of a day has changed: campaigns that wait for it look again. */
export async function wakeForQuota(db: Executor, organizationId: string, now: Date): Promise<void> {
  await sql`
    update campaign_runtime set wake_at = ${now}
    where organization_id = ${organizationId} and waiting_for = 'quota'`.execute(db);
}
