import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { type CallRow, selectCallRow } from './call-row.ts';
import { callCondition, type CallFilters } from './list-calls.ts';

/** Newest first. */
export async function listCallsOfAgent(
  db: Executor,
  list: { organizationId: string; agentId: string; filters: CallFilters; limit: number; offset: number },
): Promise<CallRow[]> {
  const { organizationId, agentId, filters } = list;
  const { rows } = await sql<CallRow>`${selectCallRow}
    where c.agent_id = ${agentId} and ${callCondition({ organizationId, filters })}
    order by c.created_at desc, c.id desc
    limit ${list.limit} offset ${list.offset}`.execute(db);
  return rows;
}
