import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { type CallRow, selectCallRow } from './call-row.ts';

export async function findCall(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<CallRow | null> {
  const { rows } = await sql<CallRow>`${selectCallRow}
    where c.organization_id = ${organizationId} and c.id = ${callId}`.execute(db);
  return rows[0] ?? null;
}
