import { sql } from 'kysely';
import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export interface SignInUser {
  organizationId: string;
  userId: string;
  role: Role;
}

/**
 * The users with an e-mail address that an identity provider vouches for, those who are disabled left out: two at most, since more than
 * one is ambiguous. Upper and lower case are the same.
 */
export function findSignInUser(
  db: Executor,
  { email, organizationId }: { email: string; organizationId: string | null },
): Promise<SignInUser[]> {
  return db
    .selectFrom('users')
    .select(['organization_id as organizationId', 'id as userId', 'role'])
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .where('disabled_at', 'is', null)
    .$if(organizationId !== null, (query) => query.where('organization_id', '=', organizationId ?? ''))
    .orderBy('organization_id')
    .limit(2)
    .execute();
}
