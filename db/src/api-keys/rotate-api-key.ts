import { noteChange } from '../audit/audit-scope.ts';
import type { Tx } from '../transaction.ts';
import { createApiKey } from './create-api-key.ts';

export type RotateApiKeyResult =
  | { kind: 'rotated'; id: string; key: string; previousExpiresAt: Date }
  | { kind: 'not_found' }
  /** The key was revoked or has expired. */
  | { kind: 'over' };

/**
 * Creates a key with the user, role, name and lifetime of the previous key. The previous key expires after the overlap, or earlier if it would
 * have anyway.
 */
export async function rotateApiKey(
  tx: Tx,
  args: { organizationId: string; id: string; overlapSeconds: number; now: Date },
): Promise<RotateApiKeyResult> {
  const { organizationId, id, overlapSeconds, now } = args;
  const before = await tx
    .selectFrom('api_keys')
    .select(['user_id', 'name', 'role', 'expires_at', 'revoked_at', 'created_at'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (before === undefined) return { kind: 'not_found' };
  if (before.revoked_at !== null || (before.expires_at !== null && before.expires_at <= now)) {
    return { kind: 'over' };
  }
  const lifeMs =
    before.expires_at === null ? null : before.expires_at.getTime() - before.created_at.getTime();
  const made = await createApiKey(tx, {
    organizationId,
    userId: before.user_id,
    name: before.name,
    role: before.role,
    expiresAt: lifeMs === null ? null : new Date(now.getTime() + lifeMs),
  });
  const endOfOverlap = new Date(now.getTime() + overlapSeconds * 1_000);
  const previousExpiresAt =
    before.expires_at !== null && before.expires_at < endOfOverlap ? before.expires_at : endOfOverlap;
  await tx
    .updateTable('api_keys')
    .set({ expires_at: previousExpiresAt })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  noteChange({
    type: 'api_key',
    id,
    before: { expires_at: before.expires_at },
    after: { expires_at: previousExpiresAt, rotated_to: made.id },
  });
  return { kind: 'rotated', ...made, previousExpiresAt };
}
