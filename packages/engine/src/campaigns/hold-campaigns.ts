import { ConflictError, NotFoundError } from '@outdial/core';
import { auditOrganization, checkAllCalls, listRunningCampaigns, type RunningCampaign } from '@outdial/db';
import { lookUpGraceMs } from '../timing.ts';
import { setCampaignStatus, type StatusDeps } from './campaign-status.ts';

const pageSize = 100;
/** Later rounds retry failures, and find campaigns that were started meanwhile. */
const rounds = 3;

export interface HeldCampaigns {
  held: RunningCampaign[];
  failed: Array<RunningCampaign & { reason: string }>;
  /** Calls in progress that are looked up at once, since a backup may know calls that have long ended. */
  lookedUp: number;
}

/** Pauses the running campaigns of all organizations. Users may start them again. */
export async function holdCampaigns(deps: StatusDeps): Promise<HeldCampaigns> {
  const paused = new Map<string, RunningCampaign>();
  const failed = new Map<string, HeldCampaigns['failed'][number]>();
  for (let round = 0; round < rounds; round++) {
    failed.clear();
    for await (const campaign of runningCampaigns(deps)) {
      try {
        if (await pause(deps, campaign)) paused.set(campaign.campaignId, campaign);
      } catch (error) {
        failed.set(campaign.campaignId, { ...campaign, reason: String(error) });
      }
    }
  }
  const lookedUp = await checkAllCalls(deps.db, { graceMs: lookUpGraceMs });
  return { held: [...paused.values()], failed: [...failed.values()], lookedUp };
}

async function* runningCampaigns({ db }: StatusDeps): AsyncGenerator<RunningCampaign> {
  let after: RunningCampaign | undefined;
  do {
    const page = await listRunningCampaigns(db, { after, limit: pageSize });
    yield* page;
    after = page.at(-1);
  } while (after);
}

/** False if the campaign no longer runs. */
async function pause(deps: StatusDeps, { organizationId, campaignId }: RunningCampaign): Promise<boolean> {
  auditOrganization(organizationId);
  try {
    return await setCampaignStatus(deps, { organizationId, campaignId, status: 'paused' });
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    if (error instanceof ConflictError && error.code === 'campaign_status') return false;
    throw error;
  }
}
