import { CompiledQuery } from 'kysely';
import type { Executor } from '../transaction.ts';
import { type CallRow, selectCallRowText } from './call-row.ts';

/** Text, since this is the most frequent query: a template would be compiled each time. */
const statement = `${selectCallRowText}
    where c.organization_id = $1 and c.id = $2`;

export async function findCall(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<CallRow | null> {
  const query = CompiledQuery.raw(statement, [organizationId, callId]);
  const { rows } = await db.executeQuery<CallRow>(query);
  return rows[0] ?? null;
}
