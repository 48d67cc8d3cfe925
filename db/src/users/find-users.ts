import { sql } from 'kysely';
import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export interface UserRow {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  role: Role;
}

/** An organization's users with this id or e-mail address, or, without one, those of a role. Oldest first. */
export function findUsers(
  db: Executor,
  args: { organizationId: string; named?: string | undefined; roles?: readonly Role[]; limit: number },
): Promise<UserRow[]> {
  const { named, roles } = args;
  return db
    .selectFrom('users')
    .select(['id', 'email', 'first_name', 'last_name', 'role'])
    .where('organization_id', '=', args.organizationId)
    .$if(named !== undefined, (query) =>
      query.where((where) =>
        where.or([
          where('email', '=', named ?? ''),
          where(sql<string>`id::text`, '=', (named ?? '').toLowerCase()),
        ]),
      ),
    )
    .$if(roles !== undefined, (query) => query.where('role', 'in', roles ?? []))
    .orderBy('created_at')
    .limit(args.limit)
    .execute();
}
