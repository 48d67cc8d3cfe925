import { callsOfStatus, type Outcome, type PublicCallStatus } from '@outdial/core';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/index.ts';
import type { Executor } from '../transaction.ts';
import { type CallRow, selectCallRow } from './call-row.ts';

/** Which calls; one that is left out asks for nothing. */
export interface CallFilters {
  campaignId?: string | undefined;
  agentId?: string | undefined;
  phoneNumber?: string | undefined;
  status?: PublicCallStatus | undefined;
  outcome?: Outcome | undefined;
  /** By when they were made: from inclusive, to exclusive. */
  from?: Date | undefined;
  to?: Date | undefined;
}

export interface ListedCallRow extends CallRow {
  row_instant: string;
}

/** The calls of an organization, newest first. */
export async function listCalls(
  db: Executor,
  { organizationId, filters, page }: { organizationId: string; filters: CallFilters; page: NewestFirst },
): Promise<ListedCallRow[]> {
  // The page is found by its keys before anything is joined to it.
  const { rows } = await sql<ListedCallRow>`
    with page as materialized (
      select c.id as page_id, ${rowInstant('c.created_at')} as row_instant from calls c
      where ${callCondition({ organizationId, filters })}
        ${newestFirst({ at: 'c.created_at', id: 'c.id' }, page)})
    select listed.*, page.row_instant from page join lateral (${selectCallRow} where c.id = page.page_id) listed on true
    order by listed.created_at desc, listed.id desc`.execute(db);
  return rows;
}

/** On the table `calls c`. */
export function callCondition({
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
