import { type Selectable, sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import { locks } from '../locks.ts';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import { bumpRunningCampaigns, wakeWhere } from '../limits-changed.ts';
import type { CallerIdTable } from '../schema/caller-ids.ts';
import type { Executor, Tx } from '../transaction.ts';
import { usesSince } from './uses.ts';
import type { CallerIdKey, PersonKey } from '../keys.ts';

export interface CallerIdRow extends Omit<
  Selectable<CallerIdTable>,
  'organization_id' | 'warm_up_from' | 'rest_ended_at'
> {
  calls_last_hour: number;
  calls_last_day: number;
  row_instant: string;
}

type Setting = 'prefixes' | 'attestation' | 'agent_id' | 'calls_per_day' | 'calls_per_hour' | 'warm_up_days';
export type NewCallerId = Pick<CallerIdRow, Exclude<Setting, 'agent_id'> | 'phone_number' | 'country'> &
  Partial<Pick<CallerIdRow, 'agent_id'>>;

type Changeable = Pick<CallerIdRow, Setting | 'state' | 'state_reason' | 'resting_until'>;
/** Omitted fields do not change. With `warm_up_days`, a new warm-up begins now. */
export type CallerIdChange = { [Column in keyof Changeable]?: Changeable[Column] | undefined };

/** Newest first, including retired ones. */
export async function listCallerIds(
  db: Executor,
  args: { organizationId: string; page: NewestFirst; callerId?: string | undefined },
): Promise<CallerIdRow[]> {
  const { rows } = await sql<CallerIdRow>`
    select c.id, c.phone_number, c.country, c.prefixes, c.attestation, c.agent_id, c.calls_per_day, c.calls_per_hour, c.warm_up_days, c.state,
      c.state_reason, c.resting_until, c.created_at, c.updated_at, uses.of_hour as calls_last_hour, uses.of_day as calls_last_day,
      ${rowInstant('c.created_at')} as row_instant
    from caller_ids c
    cross join (select engine_now() as now) t
    cross join lateral (
      select count(*)::int as of_day, (count(*) filter (where u.at > t.now - interval '1 hour'))::int as of_hour
      from ${usesSince(sql`c.id`, sql`t.now - interval '24 hours'`)} u) uses
    where c.organization_id = ${args.organizationId}
      and (${args.callerId ?? null}::uuid is null or c.id = ${args.callerId ?? null}::uuid)
      ${newestFirst({ at: 'c.created_at', id: 'c.id' }, args.page)}`.execute(db);
  return rows;
}

export async function findCallerId(
  db: Executor,
  { organizationId, callerId }: CallerIdKey,
): Promise<CallerIdRow | null> {
  const [row] = await listCallerIds(db, { organizationId, callerId, page: { limit: 1, after: null } });
  return row ?? null;
}

/** Locks the caller ids of an organization against its gates. A change of them takes this lock first. */
export async function lockCallerIds(tx: Tx, organizationId: string): Promise<void> {
  await sql`select ${locks.dialingRules.take(organizationId)}`.execute(tx);
}

export async function hasCallerId(
  db: Executor,
  { organizationId, phoneNumber }: PersonKey,
): Promise<boolean> {
  const row = await db
    .selectFrom('caller_ids')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('phone_number', '=', phoneNumber)
    .executeTakeFirst();
  return row !== undefined;
}

export async function countCallerIds(db: Executor, organizationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from caller_ids where organization_id = ${organizationId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Adds a caller id that nothing uses until it is confirmed. Null if an organization already has the number. The caller holds `lockCallerIds`. */
export async function addCallerId(
  tx: Tx,
  args: { organizationId: string; callerId: NewCallerId },
): Promise<string | null> {
  const { organizationId, callerId: made } = args;
  const { rows } = await sql<{ id: string }>`
    insert into caller_ids (organization_id, phone_number, country, prefixes, attestation, agent_id, calls_per_day, calls_per_hour, warm_up_days,
      warm_up_from, state, created_at, updated_at)
    select ${organizationId}, ${made.phone_number}, ${made.country}, ${made.prefixes}::text[], ${made.attestation},
      ${made.agent_id ?? null}, ${made.calls_per_day}, ${made.calls_per_hour}, ${made.warm_up_days}, t.now, 'pending', t.now, t.now
    from (select engine_now() as now) t
    on conflict do nothing returning id`.execute(tx);
  return rows[0]?.id ?? null;
}

/**
 * Puts a caller id into use, whose warm-up begins now. The first one of an organization creates its pool. The caller holds
 * `lockCallerIds`. False if the organization has no such number, or it is confirmed already.
 */
export async function confirmCallerId(
  tx: Tx,
  { organizationId, phoneNumber, now }: { organizationId: string; phoneNumber: string; now: Date },
): Promise<boolean> {
  const id = await findPendingCallerId(tx, { organizationId, phoneNumber });
  if (id === null) return false;
  await setPool(tx, organizationId, true);
  await tx
    .updateTable('caller_ids')
    .set({ state: 'active', state_reason: null, warm_up_from: now, updated_at: now })
    .where('id', '=', id)
    .execute();
  await wakeForCallerIds(tx, organizationId);
  noteChange({ type: 'caller_id', id, before: { state: 'pending' }, after: { state: 'active' } });
  return true;
}

/** Removes a caller id that the operator does not confirm. The caller holds `lockCallerIds`. False if there is none. */
export async function rejectCallerId(tx: Tx, { organizationId, phoneNumber }: PersonKey): Promise<boolean> {
  const callerId = await findPendingCallerId(tx, { organizationId, phoneNumber });
  if (callerId === null) return false;
  await removeCallerId(tx, { organizationId, callerId });
  noteChange({ type: 'caller_id', id: callerId, before: { phone_number: phoneNumber } });
  return true;
}

async function findPendingCallerId(
  tx: Tx,
  { organizationId, phoneNumber }: PersonKey,
): Promise<string | null> {
  const row = await tx
    .selectFrom('caller_ids')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('phone_number', '=', phoneNumber)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** For operators: the caller ids of all organizations that wait for their confirmation, the oldest first. */
export function listPendingCallerIds(
  db: Executor,
  { limit }: { limit: number },
): Promise<Array<{ phone_number: string; organization_id: string; organization: string; created_at: Date }>> {
  return db
    .selectFrom('caller_ids as c')
    .innerJoin('organizations as o', 'o.id', 'c.organization_id')
    .select(['c.phone_number', 'c.organization_id', 'o.name as organization', 'c.created_at'])
    .where('c.state', '=', 'pending')
    .orderBy('c.created_at')
    .limit(limit)
    .execute();
}

/** The caller holds `lockCallerIds`. */
export async function updateCallerId(
  tx: Tx,
  args: { organizationId: string; callerId: string; change: CallerIdChange; now: Date },
): Promise<void> {
  const { organizationId, callerId, change, now } = args;
  const endsRest = sql<Date | null>`case when state = 'resting' then ${now} else rest_ended_at end`;
  await tx
    .updateTable('caller_ids')
    // Kysely omits undefined fields.
    .set({
      ...change,
      rest_ended_at: change.state === 'active' ? endsRest : undefined,
      warm_up_from: change.warm_up_days === undefined ? undefined : now,
      updated_at: now,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', callerId)
    .execute();
  await wakeForCallerIds(tx, organizationId);
}

/**
 * Removes a caller id and its permits. Without any confirmed caller id, calls use the agents' numbers again. A permit that is taken concurrently stays
 * until the gate refuses its call. The caller holds `lockCallerIds`.
 */
export async function removeCallerId(tx: Tx, { organizationId, callerId }: CallerIdKey): Promise<void> {
  const others = await tx
    .selectFrom('caller_ids')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '<>', callerId)
    .where('state', '<>', 'pending')
    .limit(1)
    .execute();
  if (others.length === 0) await setPool(tx, organizationId, false);
  await sql`
    with gone as (delete from caller_ids where organization_id = ${organizationId} and id = ${callerId} returning id)
    delete from caller_id_uses u using gone where u.caller_id = gone.id`.execute(tx);
  await wakeForCallerIds(tx, organizationId);
}

async function setPool(tx: Tx, organizationId: string, hasCallerIds: boolean): Promise<void> {
  const current = await tx
    .selectFrom('organizations')
    .select('has_caller_ids')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (current === undefined || current.has_caller_ids === hasCallerIds) return;
  await bumpRunningCampaigns(tx, organizationId);
  await sql`update organizations set has_caller_ids = ${hasCallerIds} where id = ${organizationId}`.execute(
    tx,
  );
}

/** Wakes campaigns that wait for a caller id. */
async function wakeForCallerIds(db: Executor, organizationId: string): Promise<void> {
  await wakeWhere(db, sql`organization_id = ${organizationId} and waiting_for = 'caller_id'`);
}
