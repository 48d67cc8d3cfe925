import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import { createOrganization, type NewOrganization } from './create-organization.ts';

/** Returns the id; null if there is an organization already. Of several at the same time one makes it, and the others see it. */
export async function createFirstOrganization(tx: Tx, organization: NewOrganization): Promise<string | null> {
  // Blocks inserts of organizations until the transaction ends; reading goes on.
  await sql`lock table organizations in share row exclusive mode`.execute(tx);
  const existing = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  return existing === undefined ? createOrganization(tx, organization) : null;
}
