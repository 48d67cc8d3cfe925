import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';

/** Locks a call in progress for a transfer; null if it is over. Lock the caps of lines first (line-caps.ts). */
export async function lockCallForTransfer(
  tx: Tx,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<{ provider: string; hasLine: boolean; transfers: number } | null> {
  const { rows } = await sql<{ provider: string; hasLine: boolean; transfers: number }>`
    select provider, transfer_line as "hasLine", transfers from calls
    where organization_id = ${organizationId} and id = ${callId} and line_held
    for no key update`.execute(tx);
  return rows[0] ?? null;
}

/** Records that the call has a second line for a transfer. */
export async function countTransfer(tx: Tx, callId: string): Promise<void> {
  await sql`update calls set transfers = transfers + 1, transfer_line = true where id = ${callId}`.execute(
    tx,
  );
}

export async function dropTransferLine(tx: Tx, callId: string): Promise<void> {
  await sql`update calls set transfer_line = false where id = ${callId}`.execute(tx);
}
