import type { CampaignConfigRow } from './campaign-config.ts';
import type { Executor } from '../transaction.ts';

/** Null if the campaign does not exist. */
export async function findCampaignConfig(
  db: Executor,
  key: { organizationId: string; campaignId: string },
): Promise<CampaignConfigRow | null> {
  const row = await db
    .selectFrom('campaign_configs as f')
    .innerJoin('campaigns as c', (join) =>
      join.onRef('c.organization_id', '=', 'f.organization_id').onRef('c.id', '=', 'f.campaign_id'),
    )
    .selectAll('f')
    .where('f.organization_id', '=', key.organizationId)
    .where('f.campaign_id', '=', key.campaignId)
    .where('c.deleted_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}
