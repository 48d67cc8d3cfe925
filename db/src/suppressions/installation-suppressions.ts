import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';
import { checkCallsOfSuppressed, type NewSuppression } from './add-suppressions.ts';

/**
 * Suppresses numbers for all organizations, and makes calls to them that wait at providers due for a check, which withdraws them. Waits for all open
 * gates; new gates wait for the commit. Returns how many numbers were new.
 */
export async function suppressEverywhere(tx: Tx, suppressions: readonly NewSuppression[]): Promise<number> {
  const { rows } = await sql`
    insert into installation_suppressions (phone_number, reason, created_at)
    select phone_number, reason, engine_now()
    from unnest(${suppressions.map((one) => one.phoneNumber)}::text[], ${suppressions.map((one) => one.reason)}::text[])
      as given(phone_number, reason)
    order by phone_number
    on conflict (phone_number) do nothing returning phone_number`.execute(tx);
  const phoneNumbers = suppressions.map((one) => one.phoneNumber);
  await checkCallsOfSuppressed(tx, { organizationId: null, phoneNumbers });
  return rows.length;
}

/** Ordered by number, after `after`. */
export async function listSuppressedEverywhere(
  db: Executor,
  { after, limit }: { after: string; limit: number },
): Promise<Array<{ phone_number: string; reason: string | null; created_at: Date }>> {
  return db
    .selectFrom('installation_suppressions')
    .select(['phone_number', 'reason', 'created_at'])
    .where('phone_number', '>', after)
    .orderBy('phone_number')
    .limit(limit)
    .execute();
}

/** Removes numbers from the list, and returns how many were on it. */
export async function allowEverywhere(db: Executor, phoneNumbers: readonly string[]): Promise<number> {
  const result = await sql`
    delete from installation_suppressions where phone_number = any(${phoneNumbers}::text[])`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
