import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** A recording to delete at its provider. */
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
