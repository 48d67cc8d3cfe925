import { sql, type Selectable } from 'kysely';
import type { CampaignConfigTable } from '../schema/campaigns.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { CampaignKey } from '../keys.ts';

export type CampaignConfigRow = Selectable<CampaignConfigTable>;

type ConfigField = Exclude<
  keyof CampaignConfigRow,
  'id' | 'organization_id' | 'campaign_id' | 'created_at' | 'updated_at'
>;

/** Omitted fields do not change. */
export type CampaignConfigChanges = { [Field in ConfigField]?: CampaignConfigRow[Field] | undefined };

export async function findCampaignConfig(db: Executor, key: CampaignKey): Promise<CampaignConfigRow | null> {
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

/** Updates the config of a campaign whose row is locked. */
export async function writeCampaignConfig(
  tx: Tx,
  args: CampaignKey & { changes: CampaignConfigChanges; now: Date },
): Promise<CampaignConfigRow> {
  const { retry_delays_seconds: delays, scrub_lists: lists } = args.changes;
  return tx
    .updateTable('campaign_configs')
    .set({
      ...args.changes,
      retry_delays_seconds: delays && JSON.stringify(delays),
      scrub_lists: lists?.length === 0 ? null : lists,
      updated_at: sql<Date>`greatest(${args.now}, created_at + interval '1 millisecond')`,
    })
    .where('organization_id', '=', args.organizationId)
    .where('campaign_id', '=', args.campaignId)
    .returningAll()
    .executeTakeFirstOrThrow();
}
