import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

/** What a key stands for. Whether it is still good is the caller's to judge: that needs the time. */
export interface ApiKeyIdentity {
  id: string;
  organizationId: string;
  userId: string;
  role: Role;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** Authenticates, and so takes no organization: it finds out which one. `keyHash` is the SHA-256 of the key. */
export async function findApiKey(db: Executor, keyHash: Buffer): Promise<ApiKeyIdentity | null> {
  const row = await db
    .selectFrom('api_keys')
    .select([
      'id',
      'organization_id as organizationId',
      'user_id as userId',
      'role',
      'expires_at as expiresAt',
      'revoked_at as revokedAt',
      'last_used_at as lastUsedAt',
    ])
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
  return row ?? null;
}
