import type { Executor } from '../transaction.ts';

/** The provider that carries a call of any organization; null if there is no such call. */
export async function findCallProvider(db: Executor, callId: string): Promise<string | null> {
  const row = await db.selectFrom('calls').select('provider').where('id', '=', callId).executeTakeFirst();
  return row?.provider ?? null;
}
