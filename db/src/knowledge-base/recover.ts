import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** A document that crashed its worker this often fails. */
const attemptsAtMost = 3;

export interface RecoveredIngestions {
  /** Documents of dead workers that are back in the queue. */
  returned: number;
  /** Documents whose workers died repeatedly. */
  failed: number;
}

/** Returns documents with expired leases to the queue, or fails them after some attempts. */
export async function recoverIngestions(db: Executor, limit: number): Promise<RecoveredIngestions> {
  const { rows } = await sql<{ status: string; count: number }>`
    with expired as (
      select id from knowledge_base_documents
      where status = 'processing' and lease_expires_at < (select engine_now())
      order by lease_expires_at limit ${limit} for update skip locked
    ), recovered as (
      update knowledge_base_documents d
      set status = case when attempts >= ${attemptsAtMost} then 'failed' else 'pending' end,
          error_code = case when attempts >= ${attemptsAtMost} then 'interrupted' end,
          error = case when attempts >= ${attemptsAtMost}
            then 'The extraction was interrupted ' || attempts || ' times; upload the file again to try once more' end,
          lease_id = null, lease_expires_at = null, updated_at = engine_now(),
          -- So that it is published at once.
          published_at = engine_now() - interval '1 day'
      from expired where d.id = expired.id
      returning d.status
    )
    select status, count(*)::integer as count from recovered group by status`.execute(db);
  const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  return { returned: count('pending'), failed: count('failed') };
}

/** One item of each document that has waited for `afterSeconds` since its job was published. The job may be lost, and a second one is harmless. */
export async function takeUnpublishedItems(
  db: Executor,
  { afterSeconds, limit }: { afterSeconds: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ item_id: string }>`
    with waiting as (
      select id from knowledge_base_documents
      where status = 'pending' and published_at < (select engine_now()) - make_interval(secs => ${afterSeconds})
      order by published_at limit ${limit} for update skip locked
    ), taken as (
      update knowledge_base_documents d set published_at = engine_now()
      from waiting where d.id = waiting.id
      returning d.id
    )
    select (select i.id from knowledge_base_items i where i.document_id = taken.id limit 1) as item_id
    from taken`.execute(db);
  return rows.map((row) => row.item_id).filter((id) => id !== null);
}
