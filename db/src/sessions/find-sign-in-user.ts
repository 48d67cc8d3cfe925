import { sql } from 'kysely';
import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export interface SignInUser {
  organizationId: string;
  userId: string;
  role: Role;
}

/** A user with the name of their organization. */
export interface NamedSignInUser extends SignInUser {
  organization: string;
}

/** As many as a cookie can name. */
const usersAtMost = 10;
const nameCharactersAtMost = 40;

/**
 * The users with an e-mail address that an identity provider vouches for, one for each organization, those who are disabled left out: the ten that were added first. Upper
 * and lower case are the same.
 */
export function findSignInUser(
  db: Executor,
  { email, organizationId }: { email: string; organizationId: string | null },
): Promise<NamedSignInUser[]> {
  return db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .select([
      'organization_id as organizationId',
      'users.id as userId',
      'role',
      sql<string>`left(organizations.name, ${nameCharactersAtMost})`.as('organization'),
    ])
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .where('disabled_at', 'is', null)
    .$if(organizationId !== null, (query) => query.where('organization_id', '=', organizationId ?? ''))
    .orderBy('users.created_at')
    .orderBy('users.id')
    .limit(usersAtMost)
    .execute();
}
