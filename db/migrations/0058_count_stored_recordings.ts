import { sql, type Kysely } from 'kysely';

/**
 * Counts the recordings that were stored before they were counted. In batches by the primary key, each its own transaction, so that calls go on meanwhile
 * however many there were; safe to repeat. Frozen: a change is a new migration.
 */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  let after: string | undefined = '00000000-0000-0000-0000-000000000000';
  while (after !== undefined) after = await countBatch(db, after);
}

const callsAtOnce = 5_000;

/** The last call of the batch; none if there are no more. */
async function countBatch(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with batch as materialized (
      select id, organization_id, recording_url, created_at from calls where id > ${after}::uuid order by id limit ${callsAtOnce}),
    stored as (
      insert into stored_recordings (call_id, organization_id, bytes, check_at, is_recorded)
      select id, organization_id, substring(recording_url from 19)::bigint, created_at, true from batch
      where recording_url ~ '^outdial-recording:[0-9]{1,12}$'
      on conflict do nothing returning organization_id, bytes),
    counted as (
      insert into recorded_bytes as r (organization_id, bytes)
      select organization_id, sum(bytes) from stored group by 1 order by 1
      on conflict (organization_id) do update set bytes = r.bytes + excluded.bytes)
    select id from batch order by id desc limit 1`.execute(db);
  return rows[0]?.id;
}
