import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';
import { lesserRole } from '../lesser-role.ts';

/** The caller checks whether the key is still valid. */
export interface ApiKeyIdentity {
  id: string;
  organizationId: string;
  userId: string;
  /** The lesser of the key's role and its user's current role. */
  role: Role;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  userDisabledAt: Date | null;
}

/** Authenticates, so the organization is part of the result. */
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
