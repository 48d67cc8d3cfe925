import { unlessReadOnly } from '../postgres/error-code.ts';
import type { Executor } from '../transaction.ts';

/** Records the use of a key, at most once per `everyMs` over all processes. */
export async function touchApiKey(
  db: Executor,
  touch: { organizationId: string; id: string; now: Date; everyMs: number },
): Promise<void> {
  await unlessReadOnly(
    db
      .updateTable('api_keys')
      .set({ last_used_at: touch.now })
      .where('organization_id', '=', touch.organizationId)
      .where('id', '=', touch.id)
      .where((where) =>
        where.or([
          where('last_used_at', 'is', null),
          where('last_used_at', '<=', new Date(touch.now.getTime() - touch.everyMs)),
        ]),
      )
      .execute(),
  );
}
