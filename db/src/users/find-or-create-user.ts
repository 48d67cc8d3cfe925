import { sql } from 'kysely';
import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export interface TokenUser {
  organizationId: string;
  /** A user's id or e-mail; for a new user it stands in the place of the e-mail. */
  subject: string;
  firstName: string;
  lastName: string;
  role: Role;
}

/** The user whom a token names, written down when first seen. Gives the id. Two requests at once make one user. */
export async function findOrCreateUser(db: Executor, user: TokenUser): Promise<string> {
  const known = await findUser(db, user).executeTakeFirst();
  if (known !== undefined) {
    return known.id;
  }
  const inserted = await db
    .insertInto('users')
    .values({
      organization_id: user.organizationId,
      email: user.subject,
      first_name: user.firstName,
      last_name: user.lastName,
      role: user.role,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'email']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted !== undefined) {
    return inserted.id;
  }
  const { id } = await findUser(db, user).executeTakeFirstOrThrow();
  return id;
}

function findUser(db: Executor, { organizationId, subject }: TokenUser) {
  return (
    db
      .selectFrom('users')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where((where) =>
        where.or([where('email', '=', subject), where(sql<string>`id::text`, '=', subject.toLowerCase())]),
      )
      // An id is a stronger name than an address that looks like one.
      .orderBy(sql`id::text = ${subject.toLowerCase()}`, 'desc')
      .limit(1)
  );
}
