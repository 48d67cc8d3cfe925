import { longestPersonCapHours, type PersonCaps } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import { effectivePersonCaps, otherNumbers } from './person-free-at.ts';
import type { Db, Executor, Tx } from '../transaction.ts';
import { deferred } from '../postgres/deferred.ts';

/** The caps of an organization, including the defaults of its calling policy. */
export async function findPersonCaps(db: Executor, organizationId: string) {
  const { rows } = await sql<{ caps: PersonCaps | null }>`
    select ${effectivePersonCaps(sql`${organizationId}::uuid`)} as caps`.execute(db);
  const { calls, gap_seconds = null, after_conversation_hours = null } = rows[0]?.caps ?? {};
  return { calls: [...(calls ?? [])], gap_seconds, after_conversation_hours };
}

/**
 * Only the named caps change; null removes one. Waits for open gates; later gates use the new caps and wait for the commit, so commit soon. Call `fillCalledPeople` before the transaction, or
 * it has to count all calls of a month.
 */
export async function setPersonCaps(
  tx: Executor,
  args: { organizationId: string; change: PersonCaps; now: Date },
): Promise<void> {
  const { organizationId, change, now } = args;
  if (Object.values(change).every((cap) => cap === undefined)) return;
  const before = await findPersonCaps(tx, organizationId);
  await sql`
    insert into person_caps as p (organization_id, caps, updated_at)
    values (${organizationId}, ${JSON.stringify(change)}::jsonb, ${now})
    on conflict (organization_id) do update set caps = p.caps || excluded.caps, updated_at = excluded.updated_at`.execute(
    tx,
  );
  const after = await findPersonCaps(tx, organizationId);
  noteChange({
    type: 'organization',
    id: organizationId,
    before: { person_caps: before },
    after: { person_caps: after },
  });
}

/**
 * Locks or inserts the ledger's rows of all numbers of people in a fixed order, if the organization has caps. A common table expression of a statement that
 * locks for a gate.
 * @param people rows of (organization_id, phone_number)
 * @param organizationId if all rows have the same one, so that its caps are read once
 */
export function lockedPeople(
  people: RawBuilder<unknown>,
  organizationId: RawBuilder<unknown> = sql`one.organization_id`,
): RawBuilder<unknown> {
  return sql`
    insert into called_people (organization_id, phone_number)
    select distinct each.organization_id, each.phone_number
    from ${people} one cross join lateral (
      select one.organization_id, one.phone_number union all select * from ${otherNumbers(sql`one`)} o) each
    where ${effectivePersonCaps(organizationId)} is not null
    order by each.organization_id, each.phone_number
    -- Only locks the row.
    on conflict (organization_id, phone_number) do update set phone_number = excluded.phone_number where false`;
}

/**
 * Records dials of people whose rows are locked. A common table expression.
 * @param dials rows of (organization_id, phone_number, campaign_id, at)
 */
export function countedDials(dials: RawBuilder<unknown>): RawBuilder<unknown> {
  const since = sql`one.at - ${longestPersonCapHours} * interval '1 hour'`;
  // Most dials are the first or the newest of their person. Sorting would cost them 8 µs each.
  const isNext = sql`coalesce(p.dialed_at[1] > ${since} and p.dialed_at[cardinality(p.dialed_at)] <= one.at, true)`;
  const inOrder = (column: RawBuilder<unknown>) => sql`(
      select array_agg(${column} order by d.at)
      from unnest(p.dialed_at || one.at, p.campaign_ids || one.campaign_id) as d(at, by) where d.at > ${since})`;
  return sql`
    update called_people p
    set dialed_at = case when ${isNext} then p.dialed_at || one.at else ${inOrder(sql`d.at`)} end,
        campaign_ids = case when ${isNext} then p.campaign_ids || one.campaign_id else ${inOrder(sql`d.by`)} end
    from ${dials} one
    where p.organization_id = one.organization_id and p.phone_number = one.phone_number`;
}

/** Removes the dial of a call whose attempt is undone and whose row is locked. */
export async function uncountDial(tx: Tx, callId: string): Promise<void> {
  const uncounted = sql`
    update called_people p
    set (dialed_at, campaign_ids) = (
      select coalesce(array_agg(d.at order by d.at), '{}'), coalesce(array_agg(d.by order by d.at), '{}')
      from unnest(p.dialed_at, p.campaign_ids) as d(at, by) where d.at <> c.gated_at)
    from calls c
    where c.id = ${callId} and p.organization_id = c.organization_id and p.phone_number = c.phone_number
      and c.gated_at = any(p.dialed_at)`;
  await deferred(uncounted, tx);
}

/** Records conversations about debts. The rows of the calls are locked. */
export async function noteConversations(tx: Tx, callIds: readonly string[], now: Date): Promise<void> {
  if (callIds.length === 0) return;
  const noted = sql`
    with people as materialized (
      select p.organization_id, p.phone_number
      from calls c join called_people p on p.organization_id = c.organization_id and p.phone_number = c.phone_number
      where c.id = any(${callIds}::uuid[])
      order by p.organization_id, p.phone_number for no key update of p)
    update called_people p set conversation_at = greatest(p.conversation_at, ${now}::timestamptz)
    from people where p.organization_id = people.organization_id and p.phone_number = people.phone_number`;
  await deferred(noted, tx);
}

/** Deletes a batch of people who were not called for longer than any cap, and returns how many. */
export async function forgetCalledPeople(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from called_people where ctid = any(array(
      select ctid from called_people
      where coalesce(dialed_at[cardinality(dialed_at)], '-infinity') < (select engine_now()) - ${longestPersonCapHours} * interval '1 hour'
        and coalesce(conversation_at, '-infinity') < (select engine_now()) - ${longestPersonCapHours} * interval '1 hour'
      limit ${limit} for update skip locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

const callsAtOnce = 5_000;
/** By then, gates that began before have committed. */
const settledMinutes = 5;

interface Place {
  /** Text, because a `Date` has no microseconds. */
  at: string;
  id: string;
}

/**
 * Counts the calls of an organization for its caps per person before caps are set, each batch in its own transaction. Then only the calls of
 * the last minutes have to be counted while gates wait. Returns how many calls it read. Counts no call twice, so it may be interrupted and
 * repeated.
 */
export async function fillCalledPeople(
  db: Db,
  organizationId: string,
  { limit = callsAtOnce }: { limit?: number } = {},
): Promise<number> {
  const { rows } = await sql<{ from: string; to: Date }>`
    select (t.now - ${longestPersonCapHours + 1} * interval '1 hour')::text as from, t.now - ${settledMinutes} * interval '1 minute' as to
    from (select engine_now() as now) t`.execute(db);
  const [span] = rows;
  if (span === undefined) return 0;
  let after: Place = { at: span.from, id: '00000000-0000-0000-0000-000000000000' };
  let counted = 0;
  for (;;) {
    const batch = await fillBatch(db, { organizationId, after, to: span.to, limit });
    counted += batch.calls;
    if (batch.last === null || batch.calls < limit) break;
    after = batch.last;
  }
  await sql`
    insert into called_people_fills as f (organization_id, counted_to, at)
    select id, ${span.to}, engine_now() from organizations where id = ${organizationId}
    on conflict (organization_id) do update set counted_to = excluded.counted_to, at = excluded.at`.execute(
    db,
  );
  return counted;
}

/** Locks the calls, so that an attempt that is undone concurrently is not counted afterwards. */
async function fillBatch(
  db: Executor,
  { organizationId, after, to, limit }: { organizationId: string; after: Place; to: Date; limit: number },
): Promise<{ calls: number; last: Place | null }> {
  const { rows } = await sql<{ calls: number; at: string; id: string }>`
    with batch as materialized (
      select id, kind, purpose, phone_number, gated_at, campaign_id, created_at, outcome, ended_at from calls
      where organization_id = ${organizationId} and (created_at, id) > (${after.at}::timestamptz, ${after.id}::uuid) and created_at <= ${to}
      order by created_at, id limit ${limit} for key share),
    filled as (
      insert into called_people as p (organization_id, phone_number, dialed_at, campaign_ids, conversation_at)
      select ${organizationId}, b.phone_number, array_agg(b.gated_at order by b.gated_at, b.id), array_agg(b.campaign_id order by b.gated_at, b.id),
        max(b.ended_at) filter (where b.outcome = 'completed' and coalesce(f.purpose, b.purpose) = 'debt_collection')
      from batch b left join campaign_configs f on f.organization_id = ${organizationId} and f.campaign_id = b.campaign_id
      where b.kind = 'phone_outbound' and b.phone_number <> '' and b.gated_at is not null
      group by b.phone_number order by b.phone_number
      on conflict (organization_id, phone_number) do update
        set conversation_at = greatest(p.conversation_at, excluded.conversation_at), (dialed_at, campaign_ids) = (
          select array_agg(d.at order by d.at), array_agg(d.by order by d.at)
          from (select distinct on (at) at, by
                from unnest(p.dialed_at || excluded.dialed_at, p.campaign_ids || excluded.campaign_ids) as one(at, by)
                order by at) d))
    select count(*) over ()::int as calls, created_at::text as at, id from batch order by created_at desc, id desc limit 1`.execute(
    db,
  );
  const [last] = rows;
  return last === undefined ? { calls: 0, last: null } : { calls: last.calls, last };
}
