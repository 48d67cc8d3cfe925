import { ConflictError, NotFoundError } from '@outdial/core';
import { auditOrganization, listRunningCampaigns, type RunningCampaign } from '@outdial/db';
import { setCampaignStatus, type StatusDeps } from './campaign-status.ts';

const atOnce = 100;

/** Pauses the running campaigns of all organizations, until none runs, and returns those that it paused. */
export async function holdCampaigns(deps: StatusDeps): Promise<RunningCampaign[]> {
  const held: RunningCampaign[] = [];
  for (;;) {
    const running = await listRunningCampaigns(deps.db, { limit: atOnce });
    if (running.length === 0) return held;
    for (const campaign of running) {
      if (await hold(deps, campaign)) held.push(campaign);
    }
  }
}

/** False where the campaign has meanwhile finished, or was canceled or deleted. */
async function hold(deps: StatusDeps, { organizationId, campaignId }: RunningCampaign): Promise<boolean> {
  auditOrganization(organizationId);
  try {
    await setCampaignStatus(deps, { organizationId, campaignId, status: 'paused' });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    if (error instanceof ConflictError && error.code === 'campaign_status') return false;
    throw error;
  }
}
