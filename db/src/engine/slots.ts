import { latestSlotMs } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Executor, Tx } from '../transaction.ts';

export interface ClaimKey {
  organizationId: string;
  campaignId: string;
  recipientId: string;
  claimId: string;
}

/** The paces of a campaign and a provider, whose rows are locked. A provider without a pace is not locked. */
export interface PaceView {
  now: Date;
  campaign: { callsPerSecond: number | null; nextSlotAt: Date | null } | null;
  provider: { callsPerSecond: number | null; nextSlotAt: Date | null };
}

export async function lockPace(
  tx: Tx,
  args: { campaignId: string | null; provider: string },
): Promise<PaceView> {
  // The next statement must not wait for this row, or its snapshot would have the pace from before a concurrent change.
  await deferred(
    sql`select from campaign_runtime where campaign_id = ${args.campaignId} for no key update`,
    tx,
  );
  const campaigns = await sql<{ calls_per_second: number | null; next_slot_at: Date | null }>`
    select f.calls_per_second, rt.next_slot_at from campaign_runtime rt
    join campaign_configs f on f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id
    where rt.campaign_id = ${args.campaignId}`.execute(tx);
  const providers = await sql<{ now: Date; calls_per_second: number | null; next_slot_at: Date | null }>`
    with held as materialized (
      select * from providers where name = ${args.provider} and calls_per_second is not null for no key update)
    select held.calls_per_second, held.next_slot_at, t.now
    from providers p left join held on held.name = p.name
    -- Read after the row is locked.
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

/** The provider of a claim; null if the claim was replaced. */
export async function findClaimProvider(tx: Tx, args: ClaimKey): Promise<string | null> {
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

/** Saves the next free slots of locked rows. */
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

export async function saveClaimSlot(db: Executor, args: ClaimKey & { slotAt: Date | null }): Promise<void> {
  await db
    .updateTable('campaign_recipients')
    .set({ slot_at: args.slotAt })
    .where('organization_id', '=', args.organizationId)
    .where('campaign_id', '=', args.campaignId)
    .where('id', '=', args.recipientId)
    .where('state', '=', 'claimed')
    .where('claim_id', '=', args.claimId)
    .execute();
}

/** Later than every existing slot. Slots of a new pace begin here, and the gate refuses earlier ones. */
export const afterEverySlot: RawBuilder<Date> = sql`engine_now() + ${latestSlotMs + 1} * interval '1 millisecond'`;

/** Voids the slots of an earlier pace of a locked campaign. Waits for a concurrent advance. */
export async function voidCampaignSlots(tx: Tx, campaignId: string): Promise<void> {
  await sql`
    update campaign_runtime set slots_from = ${afterEverySlot}, next_slot_at = ${afterEverySlot}
    where campaign_id = ${campaignId}`.execute(tx);
}
