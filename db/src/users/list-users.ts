import type { Selectable } from 'kysely';
import { type NewestFirst, selectNewestFirst } from '../lists/newest-first.ts';
import type { UserTable } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export type UserDetails = Omit<Selectable<UserTable>, 'role_follows_token'>;

const columns = [
  'id',
  'organization_id',
  'email',
  'first_name',
  'last_name',
  'role',
  'created_at',
  'updated_at',
  'disabled_at',
  'tokens_not_before',
] as const;

/** Newest first. */
export function listUsers(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
): Promise<Array<UserDetails & { row_instant: string }>> {
  const users = db.selectFrom('users').select(columns).where('organization_id', '=', organizationId);
  return selectNewestFirst(users, page).execute();
}

export async function findUserDetails(
  db: Executor,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<UserDetails | null> {
  const row = await db
    .selectFrom('users')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .executeTakeFirst();
  return row ?? null;
}
