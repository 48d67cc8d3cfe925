import type { Selectable } from 'kysely';
import { type NewestFirst, selectNewestFirst } from '../lists/newest-first.ts';
import type { ApiKeyTable } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export type ListedApiKey = Omit<Selectable<ApiKeyTable>, 'key_hash'>;

const columns = [
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
] as const;

/** Newest first. */
export function listApiKeys(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
): Promise<Array<ListedApiKey & { row_instant: string }>> {
  const keys = db.selectFrom('api_keys').select(columns).where('organization_id', '=', organizationId);
  return selectNewestFirst(keys, page).execute();
}

export async function findListedApiKey(
  db: Executor,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ListedApiKey | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
