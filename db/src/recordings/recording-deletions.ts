import { sql, type RawBuilder } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';

export interface RecordingDeletion {
  callId: string;
  organizationId: string;
  provider: string;
  conversationId: string | null;
  recordingUrl: string;
  attempt: number;
  gatedAt: Date;
  /** Including this one. */
  tries: number;
  now: Date;
}

/**
 * Schedules the deletion of recordings, and tries those again that were given up. A deletion that is scheduled keeps its erasure, unless this is one.
 * @param calls rows of calls, each at most once, with the addresses of their recordings
 */
export function scheduleRecordingDeletions(
  calls: RawBuilder<unknown>,
  erasureId: string | null = null,
): RawBuilder<unknown> {
  return sql`
    insert into recording_deletions as d (call_id, organization_id, erasure_id, provider, conversation_id, recording_url, attempt,
      gated_at, next_try_at, created_at)
    select id, organization_id, ${erasureId}::uuid, provider, conversation_id, recording_url, attempt,
      coalesce(gated_at, created_at), engine_now(), engine_now()
    from ${calls} c where recording_url is not null
    on conflict (call_id) do update set erasure_id = coalesce(excluded.erasure_id, d.erasure_id), tries = 0, failed_at = null,
      next_try_at = excluded.next_try_at`;
}

/** Schedules the deletion of recordings that providers report after the person of the call was erased. Omits other calls; ids must be unique. */
export async function deleteLateRecordings(
  tx: Tx,
  late: ReadonlyArray<{ callId: string; recordingUrl: string }>,
): Promise<void> {
  if (late.length === 0) return;
  const calls = sql`(
    select c.id, c.organization_id, c.provider, c.conversation_id, x."recordingUrl" as recording_url, c.attempt, c.gated_at, c.created_at
    from jsonb_to_recordset(${JSON.stringify(late)}::jsonb) as x("callId" uuid, "recordingUrl" text)
    join calls c on c.id = x."callId" and c.phone_number = '')`;
  await scheduleRecordingDeletions(calls).execute(tx);
}

/** Takes due deletions and postpones their next try by half a minute, which doubles each time, up to six hours. */
export async function takeRecordingDeletions(db: Executor, limit: number): Promise<RecordingDeletion[]> {
  const { rows } = await sql<RecordingDeletion>`
    with due as materialized (
      select call_id from recording_deletions where failed_at is null and next_try_at <= (select engine_now())
      order by next_try_at limit ${limit} for update skip locked)
    update recording_deletions d
    set tries = d.tries + 1,
        next_try_at = engine_now() + least(30 * power(2, least(d.tries, 12)), 21600) * interval '1 second'
    from due where d.call_id = due.call_id
    returning d.call_id as "callId", d.organization_id as "organizationId", d.provider,
      d.conversation_id as "conversationId", d.recording_url as "recordingUrl", d.attempt, d.gated_at as "gatedAt", d.tries,
      engine_now() as now`.execute(db);
  return rows;
}

export async function finishRecordingDeletion(db: Executor, callId: string): Promise<void> {
  await db.deleteFrom('recording_deletions').where('call_id', '=', callId).execute();
}

/** With `isLast`, the deletion is not retried. */
export async function saveRecordingDeletionFailure(
  db: Executor,
  { callId, error, isLast }: { callId: string; error: string; isLast: boolean },
): Promise<void> {
  await sql`
    update recording_deletions
    set last_error = ${error.slice(0, 500)}, failed_at = case when ${isLast} then engine_now() end
    where call_id = ${callId}`.execute(db);
}
