import type { Selectable } from 'kysely';
import type { ApiKeyTable } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export type ListedApiKey = Omit<Selectable<ApiKeyTable>, 'key_hash'>;

/** Oldest first. */
export function listApiKeys(db: Executor, organizationId: string): Promise<ListedApiKey[]> {
  return db
    .selectFrom('api_keys')
    .select([
      'id',
      'organization_id',
      'user_id',
      'name',
      'prefix',
      'role',
      'expires_at',
      'revoked_at',
      'last_used_at',
      'created_at',
    ])
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .execute();
}
