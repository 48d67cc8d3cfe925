import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { type CallRow, selectCallRow } from './call-row.ts';

/** Newest first. */
export async function listCallsOfAgent(
  db: Executor,
  list: { organizationId: string; agentId: string; limit: number; offset: number },
): Promise<CallRow[]> {
  const { rows } = await sql<CallRow>`${selectCallRow}
    where c.organization_id = ${list.organizationId} and c.agent_id = ${list.agentId}
    order by c.created_at desc, c.id desc
    limit ${list.limit} offset ${list.offset}`.execute(db);
  return rows;
}
