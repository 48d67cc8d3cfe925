import { sql } from 'kysely';
import type { WaitingReason } from '@outdial/core';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Executor, Tx } from '../transaction.ts';
import { effectiveWaitingFor } from './blocked-campaigns.ts';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from './campaign-definition.ts';
import type { CampaignKey } from '../keys.ts';

/** Small enough for each of the hundred campaigns of a page. */
export const shortParamsBytes = 16 * 1024;

/** A campaign without its numbers, which are read separately because there may be a million. */
export interface CampaignRecord extends Omit<CampaignRow, 'short_params' | 'has_recipient_params'> {
  /** The text of `additional_params.recipients`; a long one is read separately. */
  recipient_params: { kind: 'whole'; text: string } | { kind: 'long' } | null;
}

export async function findCampaign(db: Executor, key: CampaignKey): Promise<CampaignRecord | null> {
  const row = await selectCampaigns(db, key.organizationId)
    .where('c.id', '=', key.campaignId)
    .executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

export async function listCampaigns(
  tx: Tx,
  organizationId: string,
  page: { limit: number; offset: number },
): Promise<{ total: number; records: CampaignRecord[] }> {
  const counted = await deferred(
    sql<{ count: string }>`
      select count(*) as count from campaigns where organization_id = ${organizationId} and deleted_at is null`,
    tx,
  );
  const rows = await selectCampaigns(prepared(tx), organizationId)
    .orderBy('c.created_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const [counts] = await counted.rows;
  return { total: Number(counts?.count ?? 0), records: rows.map(toRecord) };
}

function selectCampaigns(db: Executor, organizationId: string) {
  return db
    .selectFrom('campaigns as c')
    .innerJoin('campaign_runtime as rt', (join) =>
      join.onRef('rt.organization_id', '=', 'c.organization_id').onRef('rt.campaign_id', '=', 'c.id'),
    )
    .leftJoin('providers as p', 'p.name', 'rt.provider')
    .select([
      'c.id',
      'c.organization_id',
      'c.name',
      'c.agent_id',
      'c.status',
      'c.start_at',
      sql<Date | null>`coalesce(c.end_date_at, c.end_at)`.as('end_at'),
      'c.start_time',
      'c.end_time',
      'c.timezone',
      'c.additional_params',
      sql<Buffer | null>`case when octet_length(c.recipient_params) <= ${shortParamsBytes} then c.recipient_params end`.as(
        'short_params',
      ),
      sql<boolean>`c.recipient_params is not null`.as('has_recipient_params'),
      'c.list_revision',
      'c.recipients_revision',
      'c.created_at',
      sql<Date | null>`case when c.status = 'running' then rt.next_dial_at end`.as('next_dial_at'),
      sql<WaitingReason | null>`case when c.status = 'running' then ${effectiveWaitingFor} end`.as(
        'waiting_for',
      ),
    ])
    .where('c.organization_id', '=', organizationId)
    .where('c.deleted_at', 'is', null);
}

type CampaignRow = Awaited<ReturnType<ReturnType<typeof selectCampaigns>['executeTakeFirstOrThrow']>>;

function toRecord({
  short_params: short,
  has_recipient_params: hasParams,
  ...row
}: CampaignRow): CampaignRecord {
  const params = short === null ? null : { kind: 'whole' as const, text: short.toString('utf8') };
  return { ...row, recipient_params: params ?? (hasParams ? { kind: 'long' } : null) };
}

export interface WarningView {
  now: Date;
  createdAt: Date;
  definition: CampaignDefinition;
  /** Whether the campaign's own parameters name a time zone. */
  namesTimezone: boolean;
  prompt: string | null;
}

export async function findWarningView(db: Executor, key: CampaignKey): Promise<WarningView | null> {
  const { rows } = await sql<
    CampaignDefinitionRow & { now: Date; created_at: Date; names_timezone: boolean; prompt: string | null }
  >`
    select ${definitionColumns}, engine_now() as now, c.created_at, c.additional_params ->> 'timezone' is not null as names_timezone,
      (select p.prompt from agent_prompts p where p.organization_id = c.organization_id and p.agent_id = c.agent_id
       order by p.id desc limit 1) as prompt
    from ${definitionTables}
    where c.organization_id = ${key.organizationId} and c.id = ${key.campaignId} and c.deleted_at is null`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    now: row.now,
    createdAt: row.created_at,
    definition: await toDefinition(db, row),
    namesTimezone: row.names_timezone,
    prompt: row.prompt,
  };
}

/** Counts the remaining recipients without a value for a name, up to `atMost`. */
export async function countWithoutValue(
  db: Executor,
  args: CampaignKey & { name: string; atMost: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from campaign_recipients
      where organization_id = ${args.organizationId} and campaign_id = ${args.campaignId} and state = 'pending'
        and (prompt_params is null or not jsonb_exists(prompt_params, ${args.name}))
      limit ${args.atMost}) missing`.execute(db);
  return rows[0]?.count ?? 0;
}
