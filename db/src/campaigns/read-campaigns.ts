import { sql } from 'kysely';
import type { CampaignStatus, WaitingReason } from '@outdial/core';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Executor, Tx } from '../transaction.ts';
import { effectiveWaitingFor } from './effective-waiting-for.ts';
import type { JsonObject } from '../schema/columns.ts';

/** Small enough for each of the hundred campaigns of a page. */
export const shortParamsBytes = 16 * 1024;

/** A campaign without its numbers, which are read separately because there may be a million. */
export interface CampaignRecord {
  id: string;
  organizationId: string;
  name: string;
  agentId: string;
  status: CampaignStatus;
  startAt: Date;
  endAt: Date | null;
  startTime: string;
  endTime: string;
  timezone: string;
  /** Without its `recipients`. */
  additionalParams: JsonObject;
  /** The text of `additional_params.recipients`; a long one is read separately. */
  recipientParams: { kind: 'whole'; text: string } | { kind: 'long' } | null;
  listRevision: number;
  recipientsRevision: number;
  createdAt: Date;
  /** Null unless the campaign runs, as `waitingFor`. */
  nextDialAt: Date | null;
  waitingFor: WaitingReason | null;
}

export async function findCampaign(
  db: Executor,
  key: { organizationId: string; campaignId: string },
): Promise<CampaignRecord | null> {
  const row = await selectCampaigns(db, key.organizationId)
    .where('c.id', '=', key.campaignId)
    .executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

/** One page of campaigns, newest first, and their total number. */
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
      'c.organization_id as organizationId',
      'c.name',
      'c.agent_id as agentId',
      'c.status',
      'c.start_at as startAt',
      sql<Date | null>`coalesce(c.end_date_at, c.end_at)`.as('endAt'),
      'c.start_time as startTime',
      'c.end_time as endTime',
      'c.timezone',
      'c.additional_params as additionalParams',
      sql<Buffer | null>`case when octet_length(c.recipient_params) <= ${shortParamsBytes} then c.recipient_params end`.as(
        'short_params',
      ),
      sql<boolean>`c.recipient_params is not null`.as('has_recipient_params'),
      'c.list_revision as listRevision',
      'c.recipients_revision as recipientsRevision',
      'c.created_at as createdAt',
      'rt.next_dial_at as nextDialAt',
      effectiveWaitingFor.as('waitingFor'),
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
  const recipientParams =
    short !== null
      ? { kind: 'whole' as const, text: short.toString('utf8') }
      : hasParams
        ? { kind: 'long' as const }
        : null;
  const isRunning = row.status === 'running';
  return {
    ...row,
    recipientParams,
    nextDialAt: isRunning ? row.nextDialAt : null,
    waitingFor: isRunning ? row.waitingFor : null,
  };
}
