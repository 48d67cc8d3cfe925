import type { Executor } from '../transaction.ts';

/** Notes that a session is in use, unless somebody else has just done it. */
export async function touchSession(
  db: Executor,
  { organizationId, id, now, everyMs }: { organizationId: string; id: string; now: Date; everyMs: number },
): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ last_seen_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('last_seen_at', '<=', new Date(now.getTime() - everyMs))
    .execute();
}
