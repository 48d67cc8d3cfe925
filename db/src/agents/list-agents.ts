import { sql } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';
import { agentColumns, type AgentRow } from './find-agent.ts';

export interface ListedAgentRow extends AgentRow {
  row_instant: string;
}

/** Newest first, without deleted agents. */
export async function listAgents(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
): Promise<ListedAgentRow[]> {
  const { rows } = await sql<ListedAgentRow>`
    select ${agentColumns}, ${rowInstant('a.created_at')} as row_instant
    from agents a
    join organizations o on o.id = a.organization_id
    where a.organization_id = ${organizationId} and a.deleted_at is null
      ${newestFirst({ at: 'a.created_at', id: 'a.id' }, page)}`.execute(db);
  return rows;
}
