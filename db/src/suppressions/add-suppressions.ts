import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

export interface NewSuppression {
  phoneNumber: string;
  reason: string | null;
}

/** Adds numbers that are never dialed; the gate reads the table, so they count from the commit on. Gives how many were new. */
export async function addSuppressions(
  db: Executor,
  { organizationId, suppressions }: { organizationId: string; suppressions: readonly NewSuppression[] },
): Promise<number> {
  const phoneNumbers = suppressions.map((suppression) => suppression.phoneNumber);
  const reasons = suppressions.map((suppression) => suppression.reason);
  const result = await sql`
    insert into suppressions (organization_id, phone_number, reason)
    select ${organizationId}, phone_number, reason
    from unnest(${phoneNumbers}::text[], ${reasons}::text[]) as given (phone_number, reason)
    on conflict (organization_id, phone_number) do nothing`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
