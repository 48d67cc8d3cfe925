import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';

/** Keeps the slot of time that a queued call was given. */
export async function saveQueuedCallSlot(tx: Tx, callId: string, slotAt: Date | null): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ slot_at: slotAt })
    .where('id', '=', callId)
    .where('phase', '=', 'queued')
    .execute();
}

/** Queued calls whose time is up, and those that should be tried again in case their job was lost. */
export async function findQueuedCalls(
  tx: Tx,
  args: { now: Date; olderThan: Date; limit: number },
): Promise<{ expired: string[]; waiting: Array<{ id: string; organizationId: string }> }> {
  const { rows } = await sql<{ id: string; organization_id: string; expired: boolean }>`
    select id, organization_id, queue_deadline_at <= ${args.now} as expired from calls
    where phase = 'queued' and (queue_deadline_at <= ${args.now} or created_at <= ${args.olderThan})
    order by created_at limit ${args.limit} for no key update skip locked`.execute(tx);
  return {
    expired: rows.filter((row) => row.expired).map((row) => row.id),
    waiting: rows
      .filter((row) => !row.expired)
      .map((row) => ({ id: row.id, organizationId: row.organization_id })),
  };
}
