import { sql } from 'kysely';
import { anyLength } from '../postgres/any-length.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { CallKey } from '../keys.ts';

/** The default limit. About eight months of conversation, at 1.9 MB per minute. */
export const defaultRecordedGigabytes = 500;
const bytesInGigabyte = 1_000_000_000;

/** The maximum time from the first byte of a recording to the update of the call: twice the time of the longest conversation and a slow store. */
const openForSeconds = 3_600;

const limit = (organizationId: string) => sql`(
  select coalesce(max_recorded_gigabytes, ${defaultRecordedGigabytes}::int)::bigint * ${bytesInGigabyte}::bigint
  from organizations where id = ${organizationId})`;

/** Whether the organization may store another recording, by the size of its recordings so far. */
export async function hasRoomToRecord(db: Executor, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ has_room: boolean }>`
    select coalesce((select bytes from recorded_bytes where organization_id = ${organizationId}), 0)
      < ${limit(organizationId)} as has_room`.execute(db);
  return rows[0]?.has_room ?? false;
}

/**
 * Reserves space for a recording before it is stored. False if the organization's quota has no space left; the caller must then not store it.
 * Idempotent, because a call has one recording.
 */
export async function reserveRecording(db: Executor, of: CallKey & { bytes: number }): Promise<boolean> {
  const { rows } = await sql<{ is_reserved: boolean }>`
    with known as (select from stored_recordings where call_id = ${of.callId}),
    space as (
      insert into recorded_bytes as r (organization_id, bytes)
      select ${of.organizationId}::uuid, ${of.bytes}::bigint
      where not exists (select from known) and ${of.bytes}::bigint <= ${limit(of.organizationId)}
      on conflict (organization_id) do update set bytes = r.bytes + excluded.bytes
        where r.bytes + excluded.bytes <= ${limit(of.organizationId)}
      returning true),
    reserved as (
      insert into stored_recordings (call_id, organization_id, bytes, check_at)
      select ${of.callId}, ${of.organizationId}, ${of.bytes}, engine_now() + ${openForSeconds} * interval '1 second' from space returning true)
    select exists (select from known) or exists (select from reserved) as is_reserved`.execute(db);
  return rows[0]?.is_reserved ?? false;
}

/** Releases the space of a recording whose file was deleted. */
export async function releaseRecording(db: Executor, callId: string): Promise<void> {
  await sql`
    with gone as (delete from stored_recordings where call_id = ${callId} returning organization_id, bytes)
    update recorded_bytes r set bytes = greatest(0, r.bytes - gone.bytes) from gone
    where r.organization_id = gone.organization_id`.execute(db);
}

/** Marks the recordings to which these calls refer, in the transaction that updates the calls. Sent with the next statement or the commit. */
export async function markRecorded(tx: Tx, callIds: readonly string[]): Promise<void> {
  await deferred(
    sql`
      update stored_recordings set is_recorded = true
      where call_id = any(${anyLength(callIds, 'uuid')}) and not is_recorded`,
    tx,
  );
}

/**
 * Finds recordings stored an hour ago to which no call referred at that time. Marks those to which a call refers now. Returns the others: their
 * process died before it updated the call. Each one is returned again an hour later, so that failed removals do not delay others.
 */
export async function takeUnrecordedFiles(
  db: Executor,
  limitOfRows: number,
): Promise<{ looked: number; callIds: string[] }> {
  const { rows } = await sql<{ call_id: string; is_recorded: boolean }>`
    with open as materialized (
      select s.call_id, c.recording_url is not null as is_recorded
      from stored_recordings s left join calls c on c.id = s.call_id
      where not s.is_recorded and s.check_at <= (select engine_now())
      order by s.check_at limit ${limitOfRows} for update of s skip locked),
    settled as (
      update stored_recordings s
      set is_recorded = open.is_recorded, check_at = engine_now() + ${openForSeconds} * interval '1 second'
      from open where s.call_id = open.call_id)
    select call_id, is_recorded from open`.execute(db);
  return { looked: rows.length, callIds: rows.filter((row) => !row.is_recorded).map((row) => row.call_id) };
}
