import { lockRights } from '../audit/rights.ts';
import { noteChange } from '../audit/audit-scope.ts';
import type { Executor } from '../transaction.ts';

/** False if the key does not exist. A repeated revocation keeps the first instant. */
export async function revokeApiKey(
  db: Executor,
  revocation: { organizationId: string; id: string; now: Date },
): Promise<boolean> {
  await lockRights(db, revocation.organizationId);
  const result = await db
    .updateTable('api_keys')
    .set((set) => ({ revoked_at: set.fn.coalesce('revoked_at', set.val(revocation.now)) }))
    .where('organization_id', '=', revocation.organizationId)
    .where('id', '=', revocation.id)
    .executeTakeFirst();
  const known = result.numUpdatedRows > 0n;
  if (known) noteChange({ type: 'api_key', id: revocation.id, after: { revoked: true } });
  return known;
}
