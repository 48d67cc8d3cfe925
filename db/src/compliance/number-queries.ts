import { keepConsentsYears, type NumberQueryAnswer } from '@outdial/core';
import { sql } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Db, Executor, Tx } from '../transaction.ts';
import { addNumberChanges } from './number-changes.ts';
import { requireRowsWithin } from './row-limits.ts';

export interface NumberQueryRow {
  id: string;
  phone_number: string;
  queried_at: Date;
  answer: NumberQueryAnswer;
  /** The instant since which the query asked, such as that of the consent. */
  since: Date | null;
  source: string;
  created_at: Date;
  row_instant: string;
}

export type NewNumberQuery = Omit<NumberQueryRow, 'id' | 'created_at' | 'row_instant'>;

/**
 * Records queries and returns how many are new. A number that was given up is a change of that number too, so that no dial relies on a consent from
 * before the query. Gates wait for the commit.
 * @throws ConflictError `quota_exceeded`
 */
export async function addNumberQueries(
  tx: Tx,
  args: { organizationId: string; createdBy: string | null; queries: readonly NewNumberQuery[] },
): Promise<number> {
  const { organizationId, createdBy, queries } = args;
  const result = await sql`
    insert into number_queries (organization_id, phone_number, queried_at, answer, since, source, created_by, created_at)
    select ${organizationId}, phone_number, queried_at, answer, since, source, ${createdBy}, engine_now()
    from jsonb_to_recordset(${JSON.stringify(queries)}::jsonb) as x(
      phone_number text, queried_at timestamptz, answer text, since timestamptz, source text)
    order by phone_number, queried_at
    on conflict do nothing`.execute(tx);
  await requireRowsWithin(tx, { organizationId, relation: 'number_queries' });
  const changes = queries.flatMap(({ answer, phone_number, queried_at: changed_at, source }) =>
    answer === 'yes' ? [{ phone_number, kind: 'reassigned' as const, changed_at, source }] : [],
  );
  if (changes.length > 0) await addNumberChanges(tx, { organizationId, createdBy, changes });
  return Number(result.numAffectedRows ?? 0n);
}

/** Newest first. */
export async function listNumberQueries(
  db: Executor,
  args: { organizationId: string; page: NewestFirst; phoneNumber?: string | undefined },
): Promise<NumberQueryRow[]> {
  const phoneNumber = args.phoneNumber ?? null;
  const { rows } = await sql<NumberQueryRow>`
    select n.id, n.phone_number, n.queried_at, n.answer, n.since, n.source, n.created_at, ${rowInstant('n.created_at')} as row_instant
    from number_queries n
    where n.organization_id = ${args.organizationId} and (${phoneNumber}::text is null or n.phone_number = ${phoneNumber})
      ${newestFirst({ at: 'n.created_at', id: 'n.id' }, args.page)}`.execute(db);
  return rows;
}

/** Deletes a batch of queries that are as old as consents are kept, and returns how many. */
export async function deleteOldNumberQueries(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from number_queries where id = any(array(
      select id from number_queries
      where queried_at < (select engine_now()) - ${keepConsentsYears} * interval '1 year' limit ${limit}))`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}
