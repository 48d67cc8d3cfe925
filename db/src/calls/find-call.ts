import { preparedText } from '../postgres/prepared.ts';
import type { Executor } from '../transaction.ts';
import { type CallRow, selectCallRowText } from './call-row.ts';

const statement = `${selectCallRowText}
    where c.organization_id = $1 and c.id = $2`;

export async function findCall(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<CallRow | null> {
  const { rows } = await db.executeQuery<CallRow>(preparedText(statement, [organizationId, callId]));
  return rows[0] ?? null;
}
