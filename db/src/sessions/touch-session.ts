import { unlessReadOnly } from '../postgres/error-code.ts';
import type { Executor } from '../transaction.ts';

/** Records the use of a session, unless another request has just done so. */
export async function touchSession(
  db: Executor,
  { organizationId, id, now, everyMs }: { organizationId: string; id: string; now: Date; everyMs: number },
): Promise<void> {
  await unlessReadOnly(
    db
      .updateTable('console_sessions')
      .set({ last_seen_at: now })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('last_seen_at', '<=', new Date(now.getTime() - everyMs))
      .execute(),
  );
}
