import type { CallingPolicy } from '@outdial/core';
import type { Executor } from '../transaction.ts';

export interface NewOrganization {
  name: string;
  /** The IANA time zone of campaigns that name none. */
  timezone?: string;
  /** Default: `none`. */
  calling_policy?: CallingPolicy;
}

export async function createOrganization(db: Executor, organization: NewOrganization): Promise<string> {
  const row = await db
    .insertInto('organizations')
    .values(organization)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
