import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';

export interface NewSuppression {
  phoneNumber: string;
  reason: string | null;
  note?: string | null;
  /** When the suppression ends; null or missing for never. */
  expiresAt?: Date | null;
}

export interface SuppressionOrigin {
  /** The origin of the numbers, such as `api` or `import`. */
  source: string;
  /** The user who added them; null for an operator. */
  createdBy: string | null;
}

export type KnownNumbers = 'replace' | 'extend' | 'keep';

const operator: SuppressionOrigin = { source: 'operator', createdBy: null };

/**
 * Adds numbers to the suppression list, and returns how many were new. Waits for the organization's open gates (migration 0015), so that no gate
 * passes for these numbers after the commit. New gates wait for the commit, so commit soon. `known` says how to handle numbers that are already on
 * the list. `replace` sets reason, note and expiry. `extend` does too, but never shortens the suppression. `keep` only fills missing fields, and
 * never shortens the suppression.
 */
export async function addSuppressions(
  db: Executor,
  args: {
    organizationId: string;
    suppressions: readonly NewSuppression[];
    origin?: SuppressionOrigin;
    known?: KnownNumbers;
  },
): Promise<number> {
  const { organizationId, suppressions, origin = operator, known = 'keep' } = args;
  const given = suppressions.map(({ phoneNumber, reason, note, expiresAt }) => ({
    phone_number: phoneNumber,
    reason,
    note: note ?? null,
    expires_at: expiresAt?.toISOString() ?? null,
  }));
  const { rows } = await sql<{ is_new: boolean }>`
    insert into suppressions as s (organization_id, phone_number, reason, note, source, created_by, created_at, expires_at)
    select ${organizationId}, phone_number, reason, note, ${origin.source}, ${origin.createdBy}, engine_now(), expires_at
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as given (phone_number text, reason text, note text, expires_at timestamptz)
    -- In a fixed order, to avoid deadlocks between imports of the same numbers.
    order by phone_number
    on conflict (organization_id, phone_number) do update set recipients_check_at = '-infinity',
      reason = case when ${known} <> 'keep' then coalesce(excluded.reason, s.reason) else coalesce(s.reason, excluded.reason) end,
      note = case when ${known} <> 'keep' then coalesce(excluded.note, s.note) else coalesce(s.note, excluded.note) end,
      expires_at = case
        when ${known} = 'replace' or s.expires_at < excluded.expires_at or excluded.expires_at is null
          then excluded.expires_at
        else s.expires_at end
    returning s.xmax = 0 as is_new`.execute(db);
  return rows.filter((row) => row.is_new).length;
}

/**
 * Makes calls to these numbers that wait in a provider's queue due for a check, which withdraws them. Returns their ids, to publish checks after the
 * commit. `organizationId` null: for all organizations.
 */
export async function checkCallsOfSuppressed(
  tx: Tx,
  { organizationId, phoneNumbers }: { organizationId: string | null; phoneNumbers: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with waiting as materialized (
      select id from calls
      where (${organizationId}::uuid is null or organization_id = ${organizationId}) and phone_number = any(${phoneNumbers}::text[])
        and phase = 'placing' and accepted_at is not null
      order by id for no key update)
    update calls c set check_at = engine_now() from waiting where c.id = waiting.id returning c.id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}
