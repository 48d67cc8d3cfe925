import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';
import { checkCallsOfSuppressed, type NewSuppression } from './add-suppressions.ts';

export interface InstallationSuppression {
  phone_number: string;
  reason: string | null;
  created_at: Date;
}

/**
 * Has no organization dial these numbers, and has calls withdrawn that wait for them at providers. It waits for all gates that are open; gates wait until the
 * commit. Returns how many were new.
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

/** In the order of the numbers, those after `after`. */
export async function listSuppressedEverywhere(
  db: Executor,
  { after, limit }: { after: string; limit: number },
): Promise<InstallationSuppression[]> {
  return db
    .selectFrom('installation_suppressions')
    .select(['phone_number', 'reason', 'created_at'])
    .where('phone_number', '>', after)
    .orderBy('phone_number')
    .limit(limit)
    .execute();
}

/** Lets organizations dial these numbers again; says how many were on the list. */
export async function allowEverywhere(db: Executor, phoneNumbers: readonly string[]): Promise<number> {
  const result = await sql`
    delete from installation_suppressions where phone_number = any(${phoneNumbers}::text[])`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
