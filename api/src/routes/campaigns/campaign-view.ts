import type { WaitingReason } from '@outdial/core';
import type { Campaign, CampaignSummary, CampaignConfig } from '@outdial/contracts';
import type { CampaignRecord, CampaignConfigRow } from '@outdial/db';
import { entityTag } from '../../http/entity-tag.ts';

/** A campaign as the interface shows it, without its numbers, which follow as text. */
export type CampaignHead = Omit<Campaign, 'phone_numbers'>;

export function campaignHead(campaign: CampaignRecord): CampaignHead {
  return {
    id: campaign.id,
    created_at: campaign.created_at.toISOString(),
    name: campaign.name,
    agent_id: campaign.agent_id,
    status: campaign.status,
    start_date: campaign.start_at.toISOString(),
    end_date: campaign.end_at?.toISOString() ?? null,
    start_time: campaign.start_time,
    end_time: campaign.end_time,
    organization_id: campaign.organization_id,
    additional_params: campaign.additional_params,
  };
}

/** What `If-Match` of a campaign compares. Its list has revisions, because comparing a million numbers would take seconds. */
export function campaignVersion(campaign: CampaignRecord): unknown {
  return { ...campaignHead(campaign), list: [campaign.list_revision, campaign.recipients_revision] };
}

/** The tag of every answer with the campaign, with `meta` for reads. */
export function campaignTag(campaign: CampaignRecord, meta: object): string {
  return entityTag(JSON.stringify(campaignVersion(campaign)), meta);
}

export function summaryView(campaign: CampaignRecord): CampaignSummary {
  const { additional_params: _, ...summary } = campaignHead(campaign);
  return { ...summary, timezone: campaign.timezone };
}

/** The next dial of a running campaign and, while it waits, the reason. */
export interface DialingMeta {
  next_dial_at: string | null;
  waiting_for: WaitingReason | null;
}

/** `meta` of an answer with one campaign; empty unless it runs. */
export function campaignMeta(campaign: CampaignRecord): Record<string, unknown> {
  return campaign.status === 'running' ? { ...dialingMeta(campaign) } : {};
}

/** `meta` of a page: `campaigns` has an entry for each running one, by id. */
export function pageMeta(campaigns: readonly CampaignRecord[]): Record<string, unknown> {
  const running = campaigns.filter((campaign) => campaign.status === 'running');
  if (running.length === 0) return {};
  return { campaigns: Object.fromEntries(running.map((campaign) => [campaign.id, dialingMeta(campaign)])) };
}

function dialingMeta(campaign: CampaignRecord): DialingMeta {
  return { next_dial_at: campaign.next_dial_at?.toISOString() ?? null, waiting_for: campaign.waiting_for };
}

/** The fields of the row, which have the same names. */
export function configView(row: CampaignConfigRow): CampaignConfig {
  const { organization_id: _, updated_at: __, ...config } = row;
  return { ...config, created_at: row.created_at.toISOString() };
}
