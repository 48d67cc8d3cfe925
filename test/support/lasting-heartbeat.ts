import { randomUUID } from 'node:crypto';
import { saveVoiceHeartbeat, type Db } from '@outdial/db';
import { sql } from 'kysely';

type VoiceState = Omit<Parameters<typeof saveVoiceHeartbeat>[1], 'id'>;

const idle: VoiceState = {
  url: 'ws://voice-1:8090',
  webUrl: 'wss://voice.example.com',
  capacity: 100,
  activeCalls: 0,
  draining: false,
  endpointsDown: [],
};

/** Saves a heartbeat of a new voice process that counts for the rest of the test. Others count for ten seconds of the clock of Postgres. */
export async function saveLastingHeartbeat(db: Db, state: Partial<VoiceState> = {}): Promise<void> {
  const id = randomUUID();
  await saveVoiceHeartbeat(db, { id, ...idle, ...state });
  await sql`update voice_processes set seen_at = clock_timestamp() + interval '1 hour' where id = ${id}`.execute(
    db,
  );
}
