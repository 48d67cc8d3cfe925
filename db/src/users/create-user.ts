import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';

export interface NewUser {
  organizationId: string;
  email: string;
  firstName: string;
  lastName: string;
  role: Role;
}

export async function createUser(db: Executor, user: NewUser): Promise<string> {
  const row = await db
    .insertInto('users')
    .values({
      organization_id: user.organizationId,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      role: user.role,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
