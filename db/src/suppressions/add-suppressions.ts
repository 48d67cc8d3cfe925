import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';

export interface NewSuppression {
  phoneNumber: string;
  reason: string | null;
  note?: string | null;
  /** From this instant on the number may be dialed again; without one it is never dialed. */
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
 * Adds numbers that are never dialed. It waits for the gates of the organization that are open (migration 0015), so no gate opens for
 * them once the commit has been answered; gates wait until then, so commit soon. Returns how many were new.
 * `known` is about numbers that are on the list: `replace` takes the reason, the note and the end that are given; `extend` the same, but no end that is
 * sooner; `keep` adds only what is missing, and no end that is sooner.
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
    -- In one order, so that two imports of the same numbers never wait for each other crosswise.
    order by phone_number
    on conflict (organization_id, phone_number) do update set ends_waiting_at = '-infinity',
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
 * Has those calls checked at once that wait in a provider's queue for these numbers, so that they are withdrawn. Says which; publish
 * for them after the commit. For all organizations if none is named.
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
