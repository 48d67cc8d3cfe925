import { ConflictError, NotFoundError } from '@outdial/core';
import { auditOrganization, listRunningCampaigns, type RunningCampaign } from '@outdial/db';
import { setCampaignStatus, type StatusDeps } from './campaign-status.ts';

const atOnce = 100;
/** Those that are started while others are paused are found by the next round; each round tries again what failed in the one before. */
const rounds = 3;

export interface HeldCampaigns {
  /** Those that it paused, each once. */
  held: RunningCampaign[];
  failed: Array<RunningCampaign & { reason: string }>;
}

/** Pauses the running campaigns of all organizations. It does not keep anyone from starting them again. */
export async function holdCampaigns(deps: StatusDeps): Promise<HeldCampaigns> {
  const held = new Map<string, RunningCampaign>();
  const failed = new Map<string, HeldCampaigns['failed'][number]>();
  for (let round = 0; round < rounds; round++) {
    failed.clear();
    for await (const campaign of runningCampaigns(deps)) {
      try {
        if (await hold(deps, campaign)) held.set(campaign.campaignId, campaign);
      } catch (error) {
        failed.set(campaign.campaignId, { ...campaign, reason: String(error) });
      }
    }
  }
  return { held: [...held.values()], failed: [...failed.values()] };
}

async function* runningCampaigns({ db }: StatusDeps): AsyncGenerator<RunningCampaign> {
  let after: RunningCampaign | undefined;
  do {
    const page = await listRunningCampaigns(db, { after, limit: atOnce });
    yield* page;
    after = page.at(-1);
  } while (after);
}

/** Returns false if the campaign was paused, has finished, or was canceled or deleted meanwhile. */
async function hold(deps: StatusDeps, { organizationId, campaignId }: RunningCampaign): Promise<boolean> {
  auditOrganization(organizationId);
  try {
    return await setCampaignStatus(deps, { organizationId, campaignId, status: 'paused' });
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    if (error instanceof ConflictError && error.code === 'campaign_status') return false;
    throw error;
  }
}
