import type { DeleteRecordingResult, TelephonyProvider } from '@outdial/core';
import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { apiWorld, type TestOrganization } from '../api/api-world.ts';

export const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
export const dayMs = 86_400_000;

/** The api, and people whom it has called. Call it at the top of a test file. */
export async function peopleWorld() {
  const { client, db, organization } = await apiWorld();

  const post = (acme: TestOrganization, path: string, json: object): Promise<string> =>
    client.create(`POST /api/v1/${path}`, { key: acme.keys.admin, json });

  /** An ended call with every kind of personal data. */
  async function endedCall(
    acme: TestOrganization,
    agentId: string,
    toPhone: string,
    daysAgo = 0,
  ): Promise<string> {
    const id = await post(acme, `agents/${agentId}/call`, {
      to_phone: toPhone,
      prompt_params: { name: 'Grace' },
      meta: { note: 'Grace' },
    });
    const at = new Date(Date.now() - daysAgo * dayMs);
    await db
      .updateTable('calls')
      .set({
        phase: 'ended',
        outcome: 'completed',
        created_at: at,
        gated_at: at,
        ended_at: at,
        queue_deadline_at: null,
        duration_seconds: 60,
        cost: '0.5',
        transcript: 'callee: This is Grace.',
        recording_url: 'tape:1',
        call_extract: JSON.stringify({ name: 'Grace' }),
        notes: 'Grace was friendly',
      })
      .where('id', '=', id)
      .execute();
    return id;
  }

  return { client, db, organization, post, endedCall };
}

/** The tables in which a row contains the text. */
export async function tablesWith(database: Db, text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(database);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ held: boolean }>`
      select exists (select from ${sql.table(name)} t where position(${text} in t::text) > 0) as held`.execute(
      database,
    );
    if (rows[0]?.held === true) found.push(name);
  }
  return found;
}

export function tape(result: DeleteRecordingResult, deleted: string[]): TelephonyProvider {
  return {
    name: 'simulator',
    idempotency: 'none',
    place: async () => ({ kind: 'refused', outcome: 'failed', externalStatus: 'plays tapes only' }),
    lookUp: async () => ({ kind: 'unknown' }),
    hangUp: async () => ({ kind: 'confirmed' }),
    openRecording: async () => null,
    deleteRecording: async (call) => {
      deleted.push(call.callId);
      expect(call.toPhone).toBe('');
      return result;
    },
  };
}
