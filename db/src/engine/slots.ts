import { sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';

/** The paces of a campaign and of a provider, each held until the commit; a provider without one is not held. */
export interface PaceView {
  now: Date;
  campaign: { callsPerSecond: number | null; nextSlotAt: Date | null } | null;
  provider: { callsPerSecond: number | null; nextSlotAt: Date | null };
}

export async function lockPace(
  tx: Tx,
  args: { campaignId: string | null; provider: string },
): Promise<PaceView> {
  const campaigns = await sql<{ calls_per_second: number | null; next_slot_at: Date | null }>`
    select f.calls_per_second, rt.next_slot_at from campaign_runtime rt
    left join campaign_configs f on f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id
    where rt.campaign_id = ${args.campaignId} for no key update of rt`.execute(tx);
  const providers = await sql<{ now: Date; calls_per_second: number | null; next_slot_at: Date | null }>`
    with held as materialized (
      select * from providers where name = ${args.provider} and calls_per_second is not null for no key update)
    select held.calls_per_second, held.next_slot_at, t.now
    from providers p left join held on held.name = p.name
    -- The instant is read once the row is there.
    cross join lateral (select engine_now() as now from (select count(*) from held) after) t
    where p.name = ${args.provider}`.execute(tx);
  const campaign = campaigns.rows[0];
  const provider = providers.rows[0];
  if (!provider) throw new Error(`no row for the provider ${args.provider}`);
  return {
    now: provider.now,
    campaign: campaign
      ? { callsPerSecond: campaign.calls_per_second, nextSlotAt: campaign.next_slot_at }
      : null,
    provider: { callsPerSecond: provider.calls_per_second, nextSlotAt: provider.next_slot_at },
  };
}

/** The provider under which a claim holds its line; null where the claim is not the live one. */
export async function findClaimProvider(
  tx: Tx,
  args: { organizationId: string; campaignId: string; recipientId: string; claimId: string },
): Promise<string | null> {
  const row = await tx
    .selectFrom('campaign_recipients')
    .select('claim_provider')
    .where('organization_id', '=', args.organizationId)
    .where('campaign_id', '=', args.campaignId)
    .where('id', '=', args.recipientId)
    .where('state', '=', 'claimed')
    .where('claim_id', '=', args.claimId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.claim_provider ?? null;
}

/** Hands out slots of time: keeps what is free next. The rows are held. */
export async function saveNextSlots(
  tx: Tx,
  args: {
    campaignId: string | null;
    campaignNextSlotAt: Date | null;
    provider: string;
    providerNextSlotAt: Date | null;
  },
): Promise<void> {
  if (args.campaignId !== null && args.campaignNextSlotAt) {
    await deferred(
      sql`update campaign_runtime set next_slot_at = ${args.campaignNextSlotAt} where campaign_id = ${args.campaignId}`,
      tx,
    );
  }
  if (args.providerNextSlotAt) {
    await deferred(
      sql`update providers set next_slot_at = ${args.providerNextSlotAt} where name = ${args.provider}`,
      tx,
    );
  }
}
