import { saveVoiceHeartbeat, type Db } from '@outdial/db';
import { sql } from 'kysely';

/** Saves a heartbeat of a voice process that counts for the rest of the test. Others count for ten seconds of the clock of Postgres. */
export async function saveLastingHeartbeat(
  db: Db,
  state: Parameters<typeof saveVoiceHeartbeat>[1],
): Promise<void> {
  await saveVoiceHeartbeat(db, state);
  await sql`update voice_processes set seen_at = clock_timestamp() + interval '1 hour' where id = ${state.id}`.execute(
    db,
  );
}
