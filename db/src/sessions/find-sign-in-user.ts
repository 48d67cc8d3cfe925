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

/** The maximum number of users that fits into the cookie. */
const usersAtMost = 10;
const nameCharactersAtMost = 40;

/**
 * The enabled users with an e-mail address that an identity provider has verified, ignoring case: the ten that were added first. At most
 * one per organization, preferably the one with exactly this address. Otherwise an organization could lock out users of others with ten
 * spellings of their address.
 */
export function findSignInUser(
  db: Executor,
  { email, organizationId }: { email: string; organizationId: string | null },
): Promise<NamedSignInUser[]> {
  const one = db
    .selectFrom('users')
    .distinctOn('organization_id')
    .select(['organization_id', 'id', 'role', 'created_at'])
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .where('disabled_at', 'is', null)
    .$if(organizationId !== null, (query) => query.where('organization_id', '=', organizationId ?? ''))
    .orderBy('organization_id')
    .orderBy((eb) => eb('email', '=', email), 'desc')
    .orderBy('created_at')
    .orderBy('id');
  return db
    .selectFrom(one.as('one'))
    .innerJoin('organizations', 'organizations.id', 'one.organization_id')
    .select([
      'one.organization_id as organizationId',
      'one.id as userId',
      'one.role',
      sql<string>`left(organizations.name, ${nameCharactersAtMost})`.as('organization'),
    ])
    .orderBy('one.created_at')
    .orderBy('one.id')
    .limit(usersAtMost)
    .execute();
}
