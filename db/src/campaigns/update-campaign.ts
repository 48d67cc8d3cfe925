import { sql } from 'kysely';
import type { CallingPolicy, CampaignStatus } from '@outdial/core';
import { lockCampaignRow } from './campaign-locks.ts';
import type { Tx } from '../transaction.ts';
import { joinedParams, paramsColumns } from './recipient-params.ts';
import type { JsonObject } from '../schema/columns.ts';

interface CampaignKey {
  organizationId: string;
  campaignId: string;
}

export interface CampaignFields {
  name: string;
  agentId: string;
  startAt: Date;
  endAt: Date | null;
  /** The value of `end_date`, if the campaign ends after it. */
  endDateAt: Date | null;
  startTime: string;
  endTime: string;
  timezone: string;
  callingKeys: string[];
  additionalParams: JsonObject;
  promptParams: Record<string, string>;
}

export interface LockedCampaign extends CampaignFields {
  status: CampaignStatus;
  callingPolicy: CallingPolicy;
}

/** Reads and locks a campaign. Until the commit, no gate passes and no other transaction changes it. */
export async function lockCampaignFields(tx: Tx, key: CampaignKey): Promise<LockedCampaign | null> {
  await lockCampaignRow(tx, key);
  const row = await tx
    .selectFrom('campaigns')
    .selectAll()
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.campaignId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    name: row.name,
    agentId: row.agent_id,
    status: row.status,
    startAt: row.start_at,
    endAt: row.end_at,
    endDateAt: row.end_date_at,
    startTime: row.start_time,
    endTime: row.end_time,
    timezone: row.timezone,
    callingKeys: row.calling_keys,
    callingPolicy: row.calling_policy,
    additionalParams: joinedParams(row),
    promptParams: row.prompt_params,
  };
}

/** Updates a locked campaign under a new revision, which voids decisions under the old one. */
export async function writeCampaign(
  tx: Tx,
  key: CampaignKey,
  campaign: CampaignFields,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({
      name: campaign.name,
      agent_id: campaign.agentId,
      start_at: campaign.startAt,
      end_at: campaign.endAt,
      end_date_at: campaign.endDateAt,
      start_time: campaign.startTime,
      end_time: campaign.endTime,
      timezone: campaign.timezone,
      calling_keys: campaign.callingKeys,
      ...paramsColumns(campaign.additionalParams),
      list_revision: sql`list_revision + 1`,
      prompt_params: JSON.stringify(campaign.promptParams),
      revision: sql`revision + 1`,
      updated_at: now,
    })
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.campaignId)
    .execute();
}

/** Applies a new start to recipients that were never attempted. Others keep their own due time. */
export async function moveFirstAttempts(tx: Tx, key: CampaignKey, startAt: Date): Promise<void> {
  await tx
    .updateTable('campaign_recipients')
    .set({ next_attempt_at: startAt })
    .where('organization_id', '=', key.organizationId)
    .where('campaign_id', '=', key.campaignId)
    .where('state', '=', 'pending')
    .where('attempts', '=', 0)
    .where('next_attempt_at', 'is distinct from', startAt)
    .execute();
}
