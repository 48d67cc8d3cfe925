import type { Executor } from '../transaction.ts';

export interface NewOrganization {
  name: string;
  /** IANA; what campaigns use that name none. */
  timezone?: string;
}

/** Gives the id. */
export async function createOrganization(db: Executor, organization: NewOrganization): Promise<string> {
  const row = await db
    .insertInto('organizations')
    .values(organization)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
