import { sql } from 'kysely';
import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export interface TokenUser {
  organizationId: string;
  /** A user's id or e-mail. For a new user it is stored as the e-mail. */
  subject: string;
  firstName: string;
  lastName: string;
  role: Role;
}

/** The columns that decide whether a user's token is valid, and its role. */
export interface TokenUserRow {
  id: string;
  role: Role;
  disabled_at: Date | null;
  tokens_not_before: Date | null;
  role_follows_token: boolean;
}

/** Finds the user of a token, or creates the user when the token is first used. Concurrent requests create one user. */
export async function findOrCreateUser(db: Executor, user: TokenUser): Promise<TokenUserRow> {
  const known = await findUser(db, user).executeTakeFirst();
  if (known !== undefined) return known;
  await db
    .insertInto('users')
    .values({
      organization_id: user.organizationId,
      email: user.subject,
      first_name: user.firstName,
      last_name: user.lastName,
      role: user.role,
      role_follows_token: true,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'email']).doNothing())
    .execute();
  return findUser(db, user).executeTakeFirstOrThrow();
}

function findUser(db: Executor, { organizationId, subject }: TokenUser) {
  return (
    db
      .selectFrom('users')
      .select(['id', 'role', 'disabled_at', 'tokens_not_before', 'role_follows_token'])
      .where('organization_id', '=', organizationId)
      .where((where) =>
        where.or([where('email', '=', subject), where(sql<string>`id::text`, '=', subject.toLowerCase())]),
      )
      // An id takes precedence over an e-mail address that looks like one.
      .orderBy(sql`id::text = ${subject.toLowerCase()}`, 'desc')
      .limit(1)
  );
}
