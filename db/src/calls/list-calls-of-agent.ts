import { sql } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/index.ts';
import type { Executor } from '../transaction.ts';
import { selectCallRow } from './call-row.ts';
import { callCondition, type CallFilters, type ListedCallRow } from './list-calls.ts';

/** Newest first; `offset` rows of those that the page would begin with are left out. */
export async function listCallsOfAgent(
  db: Executor,
  list: {
    organizationId: string;
    agentId: string;
    filters: CallFilters;
    page: NewestFirst;
    offset: number;
  },
): Promise<ListedCallRow[]> {
  const { organizationId, agentId, filters, page, offset } = list;
  const { rows } = await sql<ListedCallRow>`
    with page as materialized (
      select c.id as page_id, ${rowInstant('c.created_at')} as row_instant from calls c
      where c.agent_id = ${agentId} and ${callCondition({ organizationId, filters })}
        ${newestFirst({ at: 'c.created_at', id: 'c.id' }, page)} offset ${offset})
    select listed.*, page.row_instant from page join lateral (${selectCallRow} where c.id = page.page_id) listed on true
    order by listed.created_at desc, listed.id desc`.execute(db);
  return rows;
}
