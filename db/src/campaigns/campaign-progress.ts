import type { CampaignStatus, Outcome } from '@outdial/core';
import type { Executor } from '../transaction.ts';
import { isOnList } from './is-on-list.ts';

/** How far a campaign is. */
export interface CampaignProgress {
  status: CampaignStatus;
  /** Numbers on its list. */
  total: number;
  /** Those about whom nothing more will be done. */
  ended: number;
  /** Claimed or in a call. */
  inHand: number;
  /** Dials so far, retries included. */
  attempts: number;
  /** How the last attempt of each recipient that is done came out. */
  outcomes: Partial<Record<Outcome, number>>;
  suppressed: number;
  /** Both null unless it runs. */
  nextDialAt: Date | null;
  waitingFor: string | null;
}

/** Reads every recipient once; a million take about a second. Null where the organization has no such campaign. */
export async function findCampaignProgress(
  db: Executor,
  key: { organizationId: string; campaignId: string },
): Promise<CampaignProgress | null> {
  const campaign = await db
    .selectFrom('campaigns as c')
    .innerJoin('campaign_runtime as r', 'r.campaign_id', 'c.id')
    .select(['c.status', 'r.next_dial_at', 'r.waiting_for'])
    .where('c.organization_id', '=', key.organizationId)
    .where('c.id', '=', key.campaignId)
    .executeTakeFirst();
  if (campaign === undefined) return null;
  const groups = await db
    .selectFrom('campaign_recipients')
    .select((eb) => [
      'state',
      'last_outcome',
      eb.fn.countAll<string>().as('count'),
      eb.fn.sum<string>('attempts').as('attempts'),
    ])
    .where('organization_id', '=', key.organizationId)
    .where('campaign_id', '=', key.campaignId)
    .where(isOnList(key))
    .groupBy(['state', 'last_outcome'])
    .execute();
  const progress: CampaignProgress = {
    status: campaign.status,
    total: 0,
    ended: 0,
    inHand: 0,
    attempts: 0,
    outcomes: {},
    suppressed: 0,
    nextDialAt: campaign.status === 'running' ? campaign.next_dial_at : null,
    waitingFor: campaign.status === 'running' ? campaign.waiting_for : null,
  };
  for (const group of groups) {
    const count = Number(group.count);
    progress.total += count;
    progress.attempts += Number(group.attempts);
    if (group.state === 'claimed' || group.state === 'dialing') progress.inHand += count;
    else if (group.state !== 'pending') progress.ended += count;
    if (group.state === 'suppressed') progress.suppressed += count;
    if (group.state === 'done' && group.last_outcome !== null) {
      progress.outcomes[group.last_outcome] = (progress.outcomes[group.last_outcome] ?? 0) + count;
    }
  }
  return progress;
}
