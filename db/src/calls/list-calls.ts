import { callsOfStatus, type Outcome, type PublicCallStatus } from '@outdial/core';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';
import { type CallRow, selectCallRow } from './call-row.ts';

export interface CallFilters {
  campaignId?: string | undefined;
  agentId?: string | undefined;
  phoneNumber?: string | undefined;
  status?: PublicCallStatus | undefined;
  outcome?: Outcome | undefined;
  /** By creation: `from` is inclusive, `to` exclusive. */
  from?: Date | undefined;
  to?: Date | undefined;
}

export interface ListedCallRow extends CallRow {
  row_instant: string;
}

/** Newest first. `agentId` applies in addition to the filters; `offset` skips rows from the start of the page. */
export async function listCalls(
  db: Executor,
  list: {
    organizationId: string;
    agentId?: string;
    filters: CallFilters;
    page: NewestFirst;
    offset?: number;
  },
): Promise<ListedCallRow[]> {
  const { organizationId, agentId, filters, page, offset = 0 } = list;
  const ofAgent = agentId === undefined ? sql`` : sql`and c.agent_id = ${agentId}`;
  // Finds the page by its keys before it joins other tables.
  const { rows } = await sql<ListedCallRow>`
    with page as materialized (
      select c.id as page_id, ${rowInstant('c.created_at')} as row_instant from calls c
      where ${callCondition({ organizationId, filters })} ${ofAgent}
        ${newestFirst({ at: 'c.created_at', id: 'c.id' }, page)} offset ${offset})
    select listed.*, page.row_instant from page join lateral (${selectCallRow} where c.id = page.page_id) listed on true
    order by listed.created_at desc, listed.id desc`.execute(db);
  return rows;
}

/** For `calls c`. */
function callCondition({
  organizationId,
  filters,
}: {
  organizationId: string;
  filters: CallFilters;
}): RawBuilder<SqlBool> {
  const { campaignId, agentId, phoneNumber, status, outcome, from, to } = filters;
  const parts: Array<RawBuilder<unknown>> = [sql`c.organization_id = ${organizationId}`];
  if (campaignId !== undefined) parts.push(sql`c.campaign_id = ${campaignId}`);
  if (agentId !== undefined) parts.push(sql`c.agent_id = ${agentId}`);
  if (phoneNumber !== undefined) parts.push(sql`c.phone_number = ${phoneNumber}`);
  if (outcome !== undefined) parts.push(sql`c.outcome = ${outcome}`);
  if (from !== undefined) parts.push(sql`c.created_at >= ${from}`);
  if (to !== undefined) parts.push(sql`c.created_at < ${to}`);
  if (status !== undefined) {
    const { phases, outcomes } = callsOfStatus(status);
    parts.push(sql`(c.phase = any(${phases}::text[]) or c.outcome = any(${outcomes}::text[]))`);
  }
  return sql<SqlBool>`${sql.join(parts, sql` and `)}`;
}
