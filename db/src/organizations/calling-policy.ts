import type { CallingPolicy } from '@outdial/core';
import { sql } from 'kysely';
import { type Executor, type Tx } from '../transaction.ts';

/**
 * The policy of an organization, which stays until the commit: a campaign that is being written gets the one under which it is judged.
 * Taken before any other lock.
 */
export async function lockCallingPolicy(tx: Tx, organizationId: string): Promise<CallingPolicy> {
  await sql`select pg_advisory_xact_lock_shared(4, hashtext(${organizationId}))`.execute(tx);
  return (await findCallingPolicy(tx, organizationId)) ?? 'none';
}

export async function findCallingPolicy(db: Executor, organizationId: string): Promise<CallingPolicy | null> {
  const row = await db
    .selectFrom('organizations')
    .select('calling_policy')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return row?.calling_policy ?? null;
}

/**
 * Has the campaigns of an organization be judged by a policy from the commit on. It waits for campaigns that are being written, and for
 * gates that are open; later gates find another revision. The keys of recipients follow in batches (`rekeyBatch`): until then a gate
 * refuses those that have one of another policy. Caps per person that come with the policy count the calls of before. Call it before the organization's row is written, in the same transaction.
 */
export async function applyCallingPolicy(
  tx: Executor,
  organizationId: string,
  policy: CallingPolicy,
): Promise<void> {
  if (!tx.isTransaction) throw new Error('a calling policy is changed in a transaction');
  await sql`select pg_advisory_xact_lock(4, hashtext(${organizationId}))`.execute(tx);
  // Gates hold it in share mode, those of direct calls too, before they lock any row.
  await sql`select pg_advisory_xact_lock(3, hashtext(${organizationId}::uuid::text))`.execute(tx);
  await sql`
    with own as materialized (
      select id from campaigns
      where organization_id = ${organizationId} and calling_policy <> ${policy} order by id for no key update)
    update campaigns c set calling_policy = ${policy}, revision = c.revision + 1
    from own where c.id = own.id`.execute(tx);
  if (policy !== 'none') await sql`select fill_called_people(${organizationId}::uuid)`.execute(tx);
}
