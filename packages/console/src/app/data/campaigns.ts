import { api, ok, type Schemas } from './api.ts';

export type Progress = Schemas['CampaignProgress'];
export type Summary = Schemas['CampaignSummary'];

export interface ListedCampaign {
  campaign: Summary;
  progress: Progress;
}

export interface CampaignPage {
  campaigns: ListedCampaign[];
  page: number;
  pages: number;
  total: number;
}

export async function listCampaigns(page: number): Promise<CampaignPage> {
  const { data, meta } = await ok(
    api.GET('/api/v1/campaigns', { params: { query: { fields: 'summary', size: 20, page } } }),
  );
  const progress = progressByCampaign(meta);
  return {
    campaigns: data.items.flatMap((campaign) => {
      const own = progress[campaign.id];
      // With fields=summary every item is one.
      return own === undefined ? [] : [{ campaign: campaign as Summary, progress: own }];
    }),
    page: data.page,
    pages: data.pages,
    total: data.total,
  };
}

export async function readCampaign(campaignId: string): Promise<ListedCampaign> {
  const { data, meta } = await ok(
    api.GET('/api/v1/campaigns/{campaign_id}', {
      params: { path: { campaign_id: campaignId }, query: { fields: 'summary' } },
    }),
  );
  const progress = meta?.['progress'] as Progress | undefined;
  if (progress === undefined) throw new Error('The response has no campaign');
  return { campaign: data as Summary, progress };
}

/** `meta.progress` as described in docs/behaviour.md for lists with `fields=summary`; the OpenAPI document has no type for `meta`. */
function progressByCampaign(meta: Record<string, unknown> | null | undefined): Record<string, Progress> {
  return (meta?.['progress'] ?? {}) as Record<string, Progress>;
}

export async function setStatus(
  campaignId: string,
  status: Summary['status'],
  options: { hangUp?: boolean } = {},
): Promise<void> {
  await ok(
    api.PUT('/api/v1/campaigns/{campaign_id}/status', {
      params: { path: { campaign_id: campaignId } },
      body: { status, ...(options.hangUp === true && { hang_up: true }) },
    }),
  );
}
