import type { Executor } from '../transaction.ts';

/** For calls of any organization; null if the call does not exist. */
export async function findCallProvider(db: Executor, callId: string): Promise<string | null> {
  const row = await db.selectFrom('calls').select('provider').where('id', '=', callId).executeTakeFirst();
  return row?.provider ?? null;
}
