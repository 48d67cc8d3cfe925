import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import { createOrganization, type NewOrganization } from './create-organization.ts';

/** Null if there is an organization already. Only one of several concurrent calls creates one. */
export async function createFirstOrganization(tx: Tx, organization: NewOrganization): Promise<string | null> {
  // Blocks inserts of organizations until the commit, but no reads.
  await sql`lock table organizations in share row exclusive mode`.execute(tx);
  const existing = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  return existing === undefined ? createOrganization(tx, organization) : null;
}
