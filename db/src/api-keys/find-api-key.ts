import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';
import { lesserRole } from '../users/lesser-role.ts';

/** The user and role of a key. The caller checks whether it is still valid, which needs the time. */
export interface ApiKeyIdentity {
  id: string;
  organizationId: string;
  userId: string;
  /** The lesser of the key's and of its user's: who may do less today may do less with yesterday's keys. */
  role: Role;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  userDisabledAt: Date | null;
}

/** Authenticates, and so takes no organization: it finds out which one. `keyHash` is the SHA-256 of the key. */
export async function findApiKey(db: Executor, keyHash: Buffer): Promise<ApiKeyIdentity | null> {
  const row = await db
    .selectFrom('api_keys as k')
    .innerJoin('users as u', (join) =>
      join.onRef('u.organization_id', '=', 'k.organization_id').onRef('u.id', '=', 'k.user_id'),
    )
    .select([
      'k.id',
      'k.organization_id as organizationId',
      'k.user_id as userId',
      'k.role',
      'u.role as userRole',
      'k.expires_at as expiresAt',
      'k.revoked_at as revokedAt',
      'k.last_used_at as lastUsedAt',
      'u.disabled_at as userDisabledAt',
    ])
    .where('k.key_hash', '=', keyHash)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { userRole, ...key } = row;
  return { ...key, role: lesserRole(key.role, userRole) };
}
