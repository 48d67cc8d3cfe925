import { keepConsentsYears } from '@outdial/core';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { NumberChangeTable } from '../schema/compliance.ts';
import type { Db, Executor, Tx } from '../transaction.ts';
import { requireRowsWithin } from './row-limits.ts';
import type { PersonKey } from '../keys.ts';

export type NumberChangeRow = Omit<Selectable<NumberChangeTable>, 'organization_id' | 'created_by'> & {
  row_instant: string;
};

export type NewNumberChange = Pick<NumberChangeRow, 'phone_number' | 'kind' | 'changed_at' | 'source'>;

/** Whether the number of a consent `c` was ported or reassigned at or after the consent. */
export const hasChangedSince: RawBuilder<unknown> = sql`exists (
  select from number_changes n
  where n.organization_id = c.organization_id and n.phone_number = c.phone_number and n.changed_at >= c.given_at)`;

/** Adds changes and returns how many are new. Gates wait for the commit. @throws ConflictError `quota_exceeded` */
export async function addNumberChanges(
  tx: Tx,
  args: { organizationId: string; createdBy: string | null; changes: readonly NewNumberChange[] },
): Promise<number> {
  const result = await sql`
    insert into number_changes (organization_id, phone_number, kind, changed_at, source, created_by, created_at)
    select ${args.organizationId}, phone_number, kind, changed_at, source, ${args.createdBy}, engine_now()
    from jsonb_to_recordset(${JSON.stringify(args.changes)}::jsonb) as x(
      phone_number text, kind text, changed_at timestamptz, source text)
    order by phone_number, changed_at, kind
    on conflict do nothing`.execute(tx);
  await requireRowsWithin(tx, { organizationId: args.organizationId, relation: 'number_changes' });
  return Number(result.numAffectedRows ?? 0n);
}

/** Newest first. */
export async function listNumberChanges(
  db: Executor,
  args: { organizationId: string; page: NewestFirst; phoneNumber?: string | undefined },
): Promise<NumberChangeRow[]> {
  const phoneNumber = args.phoneNumber ?? null;
  const { rows } = await sql<NumberChangeRow>`
    select n.id, n.phone_number, n.kind, n.changed_at, n.source, n.created_at, ${rowInstant('n.created_at')} as row_instant
    from number_changes n
    where n.organization_id = ${args.organizationId} and (${phoneNumber}::text is null or n.phone_number = ${phoneNumber})
      ${newestFirst({ at: 'n.created_at', id: 'n.id' }, args.page)}`.execute(db);
  return rows;
}

/** Removes an erroneous change. Null if it does not exist. */
export async function removeNumberChange(
  tx: Tx,
  { organizationId, changeId }: { organizationId: string; changeId: string },
): Promise<NumberChangeRow | null> {
  const { rows } = await sql<NumberChangeRow>`
    delete from number_changes where organization_id = ${organizationId} and id = ${changeId}
    returning id, phone_number, kind, changed_at, source, created_at, '' as row_instant`.execute(tx);
  return rows[0] ?? null;
}

/** Erases changes of a person that end no consent. */
export async function eraseNumberChanges(tx: Tx, { organizationId, phoneNumber }: PersonKey): Promise<void> {
  await sql`
    delete from number_changes n
    where n.organization_id = ${organizationId} and n.phone_number = ${phoneNumber} and not (${endsConsents})`.execute(
    tx,
  );
}

const endsConsents = sql`exists (
  select from consents c
  where c.organization_id = n.organization_id and c.phone_number = n.phone_number and c.given_at <= n.changed_at)`;

/** Deletes a batch of changes that are five years old and end no consent, and returns how many. */
export async function deleteOldNumberChanges(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from number_changes where id = any(array(
      select n.id from number_changes n
      where n.changed_at < (select engine_now()) - ${keepConsentsYears} * interval '1 year' and not (${endsConsents})
      limit ${limit}))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
