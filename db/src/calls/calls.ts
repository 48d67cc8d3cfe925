import {
  type CallKind,
  type CallPhase,
  callsOfStatus,
  type Outcome,
  type PublicCallStatus,
} from '@outdial/core';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { CallEvent } from '../schema/calls.ts';
import type { JsonObject } from '../schema/columns.ts';
import { preparedText } from '../postgres/prepared.ts';
import type { Executor } from '../transaction.ts';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { CallKey } from '../keys.ts';

export interface CallRow {
  id: string;
  organization_id: string;
  agent_id: string;
  campaign_id: string | null;
  recipient_id: string | null;
  attempt: number;
  provider: string;
  kind: CallKind;
  phase: CallPhase;
  outcome: Outcome | null;
  phone_number: string;
  prompt: string;
  prompt_params: Record<string, string> | null;
  meta: JsonObject | null;
  conversation_id: string | null;
  transcript: string | null;
  duration_seconds: number | null;
  /** A numeric as text. */
  cost: string;
  recording_url: string | null;
  call_extract: JsonObject | null;
  external_status: string | null;
  events: CallEvent[];
  created_at: Date;
  gated_at: Date | null;
  consent_id: string | null;
  notes: string | null;
  comments: string | null;
  quality: number | null;
  tags: Array<{ id: string; name: string }>;
  /** Null for an inbound call, and so are both names. */
  creator_id: string | null;
  creator_first_name: string | null;
  creator_last_name: string | null;
}

export const selectCallRowText = `
  select c.id, c.organization_id, c.agent_id, c.campaign_id, c.recipient_id, c.attempt, c.provider, c.kind, c.phase, c.outcome,
    c.phone_number, p.prompt, c.prompt_params, c.meta, c.conversation_id, c.transcript, c.duration_seconds, c.cost,
    c.recording_url, c.call_extract, c.external_status, c.events, c.created_at, c.gated_at, c.consent_id,
    c.notes, c.comments, c.quality,
    case when c.tag_ids = '{}' then '[]' else
      (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) order by t.name), '[]')
         from tags t where t.organization_id = c.organization_id and t.id = any(c.tag_ids)) end as tags,
    u.id as creator_id, u.first_name as creator_first_name, u.last_name as creator_last_name
  from calls c
  join agent_prompts p on p.id = c.prompt_id
  left join users u on u.id = c.created_by`;

export const selectCallRow = sql.raw(selectCallRowText);

const statement = `${selectCallRowText}
    where c.organization_id = $1 and c.id = $2`;

export async function findCall(db: Executor, { organizationId, callId }: CallKey): Promise<CallRow | null> {
  const { rows } = await db.executeQuery<CallRow>(preparedText(statement, [organizationId, callId]));
  return rows[0] ?? null;
}

/** For calls of any organization; null if the call does not exist. */
export async function findCallProvider(db: Executor, callId: string): Promise<string | null> {
  const row = await db.selectFrom('calls').select('provider').where('id', '=', callId).executeTakeFirst();
  return row?.provider ?? null;
}

/** The calls that the provider may have: those it accepted, and those whose send is over. A look-up of others would race with their send. */
export async function findLiveCallsOfProvider(
  db: Executor,
  args: { provider: string; sendOverMs: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from calls
    where provider = ${args.provider} and line_held
      and (accepted_at is not null or gated_at < (select engine_now()) - ${args.sendOverMs} * interval '1 millisecond')
    order by gated_at`.execute(db);
  return rows.map((row) => row.id);
}

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
