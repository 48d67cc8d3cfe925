import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';

export interface NewSuppression {
  phoneNumber: string;
  reason: string | null;
  note?: string | null;
  /** When the suppression ends; null or missing for never. */
  expiresAt?: Date | null;
  /** How the person asked. Without it, only the first request for a number is kept, with the source as its channel. */
  asked?: { channel: string; words?: string | null; receivedAt?: Date | null; callId?: string | null };
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
 * Adds numbers to the suppression list, and returns how many were new. Waits for the organization's open gates (a trigger of `0007_compliance.ts`), so that no gate
 * passes for these numbers after the commit. New gates wait for the commit, so commit soon. The other numbers of the same people are suppressed too,
 * and never for a shorter time than they are. `known` says how to handle numbers that are already on
 * the list. `replace` sets reason, note and expiry. `extend` does too, but never shortens the suppression. `keep` only fills missing fields, and
 * never shortens the suppression.
 */
export async function addSuppressions(db: Executor, args: NewSuppressions): Promise<number> {
  const added = await write(db, args);
  const { suppressions } = args;
  const others = await otherNumbers(db, args);
  if (others.length > 0) {
    const byNumber = new Map(suppressions.map((one) => [one.phoneNumber, one]));
    const ofOthers = others.flatMap(({ phone_number: phoneNumber, given }) => {
      const one = byNumber.get(given);
      return one === undefined ? [] : [{ ...one, phoneNumber }];
    });
    await write(db, { ...args, suppressions: ofOthers, known: 'keep' });
  }
  return added;
}

type Given = Pick<NewSuppression, 'phoneNumber' | 'expiresAt'>;

interface NewSuppressions {
  organizationId: string;
  suppressions: readonly NewSuppression[];
  origin?: SuppressionOrigin;
  known?: KnownNumbers;
}

/**
 * Further numbers of the people to whom these belong, and those of these that are given a shorter time than another number of their person; each with
 * the number of the person that is given the longest.
 */
async function otherNumbers(
  db: Executor,
  {
    organizationId,
    suppressions,
  }: Pick<NewSuppressions, 'organizationId'> & { suppressions: readonly Given[] },
): Promise<Array<{ phone_number: string; given: string }>> {
  const { rows } = await sql<{ phone_number: string; given: string }>`
    with given as materialized (
      select * from unnest(${suppressions.map((one) => one.phoneNumber)}::text[],
        ${suppressions.map((one) => one.expiresAt?.toISOString() ?? null)}::timestamptz[]) as one (phone_number, expires_at))
    select distinct on (o.phone_number) o.phone_number, g.phone_number as given
    from given g join person_numbers p on p.organization_id = ${organizationId} and p.phone_number = g.phone_number
    join person_numbers o on o.organization_id = p.organization_id and o.person_ref = p.person_ref
    left join given own on own.phone_number = o.phone_number
    where own.phone_number is null or own.expires_at < coalesce(g.expires_at, 'infinity')
    order by o.phone_number, g.expires_at desc, g.phone_number`.execute(db);
  return rows;
}

async function write(db: Executor, args: NewSuppressions): Promise<number> {
  const { organizationId, suppressions, origin = operator, known = 'keep' } = args;
  const given = suppressions.map(({ phoneNumber, reason, note, expiresAt, asked }) => ({
    phone_number: phoneNumber,
    reason,
    note: note ?? null,
    expires_at: expiresAt?.toISOString() ?? null,
    ...(asked && {
      channel: asked.channel,
      words: asked.words ?? null,
      received_at: asked.receivedAt?.toISOString() ?? null,
      call_id: asked.callId ?? null,
    }),
  }));
  // An ended suppression would otherwise be updated: without an event, and with its old source.
  await sql`
    delete from suppressions s using (
      select phone_number from suppressions
      where organization_id = ${organizationId} and phone_number = any(${given.map((one) => one.phone_number)}::text[])
        and expires_at <= (select engine_now())
      order by phone_number for update) ended
    where s.organization_id = ${organizationId} and s.phone_number = ended.phone_number`.execute(db);
  const { rows } = await sql<{ is_new: boolean }>`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as one (phone_number text, reason text, note text, expires_at timestamptz, channel text, words text, received_at timestamptz, call_id uuid)),
    listed as (
      insert into suppressions as s (organization_id, phone_number, reason, note, source, created_by, created_at, expires_at)
      select ${organizationId}, phone_number, reason, note, ${origin.source}, ${origin.createdBy}, engine_now(), expires_at
      from given
      -- In a fixed order, to avoid deadlocks between imports of the same numbers.
      order by phone_number
      on conflict (organization_id, phone_number) do update set recipients_check_at = '-infinity',
        reason = case when ${known} <> 'keep' then coalesce(excluded.reason, s.reason) else coalesce(s.reason, excluded.reason) end,
        note = case when ${known} <> 'keep' then coalesce(excluded.note, s.note) else coalesce(s.note, excluded.note) end,
        expires_at = case
          when ${known} = 'replace' or s.expires_at < excluded.expires_at or excluded.expires_at is null
            then excluded.expires_at
          else s.expires_at end
      returning s.phone_number, s.xmax = 0 as is_new),
    kept as (
      insert into revocations (organization_id, phone_number, channel, words, call_id, created_by, received_at, created_at)
      select ${organizationId}, g.phone_number, coalesce(g.channel, ${origin.source}), coalesce(g.words, case when g.call_id is null then g.reason end), g.call_id, ${origin.createdBy},
        coalesce(g.received_at, engine_now()), engine_now()
      from given g join listed l on l.phone_number = g.phone_number where l.is_new or g.channel is not null
      on conflict do nothing)
    select is_new from listed`.execute(db);
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
  const suppressions = phoneNumbers.map((phoneNumber) => ({ phoneNumber }));
  const others = organizationId === null ? [] : await otherNumbers(tx, { organizationId, suppressions });
  const all = [...phoneNumbers, ...others.map((one) => one.phone_number)];
  const { rows } = await sql<{ id: string }>`
    with waiting as materialized (
      select id from calls
      where (${organizationId}::uuid is null or organization_id = ${organizationId}) and phone_number = any(${all}::text[])
        and phase = 'placing' and accepted_at is not null
      order by id for no key update)
    update calls c set check_at = engine_now() from waiting where c.id = waiting.id returning c.id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}
