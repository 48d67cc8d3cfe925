import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';

export interface RevocationRow {
  channel: string;
  words: string | null;
  received_at: Date;
  call_id: string | null;
  /** If it revokes one consent only. */
  consent_id: string | null;
  created_at: Date;
}

/** What a person has asked, the newest first: no more calls, or that a consent ends. */
export async function listRevocations(
  db: Executor,
  args: { organizationId: string; phoneNumber: string; limit: number },
): Promise<RevocationRow[]> {
  const { organizationId, phoneNumber } = args;
  const { rows } = await sql<RevocationRow>`
    select channel, words, received_at, call_id, null::uuid as consent_id, created_at from revocations
    where organization_id = ${organizationId} and phone_number = ${phoneNumber}
    union all
    select 'consent', v.reason, v.revoked_at, null, v.consent_id, v.revoked_at
    from consents c join consent_revocations v on v.organization_id = c.organization_id and v.consent_id = c.id
    where c.organization_id = ${organizationId} and c.phone_number = ${phoneNumber}
    order by received_at desc, created_at desc limit ${args.limit}`.execute(db);
  return rows;
}

export async function eraseRevocations(
  tx: Tx,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<void> {
  await sql`
    delete from revocations where organization_id = ${organizationId} and phone_number = ${phoneNumber}`.execute(
    tx,
  );
}
