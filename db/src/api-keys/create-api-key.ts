import { hash, randomBytes } from 'node:crypto';
import { noteChange } from '../audit/audit-scope.ts';
import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export interface NewApiKey {
  organizationId: string;
  userId: string;
  name: string;
  role: Role;
  expiresAt?: Date | null;
}

const keyPrefix = 'od_';
/** Enough to tell keys apart in a list, but too few to guess one. */
const shownCharacters = 9;

/** Creates a key of 256 random bits. Only the caller gets the key; the table has its SHA-256. */
export async function createApiKey(db: Executor, key: NewApiKey): Promise<{ id: string; key: string }> {
  const text = keyPrefix + randomBytes(32).toString('base64url');
  const row = await db
    .insertInto('api_keys')
    .values({
      organization_id: key.organizationId,
      user_id: key.userId,
      name: key.name,
      role: key.role,
      prefix: text.slice(0, shownCharacters),
      key_hash: hashApiKey(text),
      expires_at: key.expiresAt ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  noteChange({
    type: 'api_key',
    id: row.id,
    after: { name: key.name, role: key.role, user_id: key.userId, expires_at: key.expiresAt ?? null },
  });
  return { id: row.id, key: text };
}

export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
