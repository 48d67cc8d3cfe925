import type { CallingPolicy } from '@outdial/core';
import { sql } from 'kysely';
import { lockOutGates } from '../gate-locks.ts';
import { locks } from '../locks.ts';
import { type Executor, type Tx } from '../transaction.ts';

/** Locks the policy of an organization until the commit, so that a new campaign gets the policy under which it was checked. Comes before any other lock. */
export async function lockCallingPolicy(tx: Tx, organizationId: string): Promise<CallingPolicy> {
  await sql`select ${locks.callingPolicy.share(organizationId)}`.execute(tx);
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
 * Applies a policy to the campaigns of an organization under new revisions. Waits for campaigns that are being created and for open gates. The
 * keys of recipients follow in batches (`rekeyBatch`), and until then gates refuse those of another policy. If the policy has caps per person,
 * counts earlier calls for them. Call it before updating the organization's row in the same transaction.
 */
export async function applyCallingPolicy(
  tx: Executor,
  organizationId: string,
  policy: CallingPolicy,
): Promise<void> {
  if (!tx.isTransaction) throw new Error('applyCallingPolicy needs a transaction');
  await sql`select ${locks.callingPolicy.take(organizationId)}`.execute(tx);
  await lockOutGates(tx, organizationId);
  await sql`
    with own as materialized (
      select id from campaigns
      where organization_id = ${organizationId} and calling_policy <> ${policy} order by id for no key update)
    update campaigns c set calling_policy = ${policy}, revision = c.revision + 1
    from own where c.id = own.id`.execute(tx);
  if (policy !== 'none') await sql`select fill_called_people(${organizationId}::uuid)`.execute(tx);
}
