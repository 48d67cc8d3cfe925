import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';

/** Marks a campaign whose row is locked as deleted. */
export async function deleteCampaign(tx: Tx, campaignId: string, now: Date): Promise<void> {
  await tx.updateTable('campaigns').set({ deleted_at: now }).where('id', '=', campaignId).execute();
}

/** Erases a batch of recipients of one deleted campaign, except those with calls, and returns how many. Null if no campaign is left. */
export async function eraseDeletedCampaign(db: Executor, limit: number): Promise<number | null> {
  const { rows } = await sql<{ id: string; organization_id: string }>`
    select id, organization_id from campaigns where deleted_at is not null and erased_at is null
    order by deleted_at limit 1`.execute(db);
  const [campaign] = rows;
  if (campaign === undefined) return null;
  const result = await sql`
    delete from campaign_recipients where (organization_id, campaign_id, id) in (
      select r.organization_id, r.campaign_id, r.id from campaign_recipients r
      where r.organization_id = ${campaign.organization_id} and r.campaign_id = ${campaign.id}
        and r.state <> 'dialing' and not exists (select from calls c where c.recipient_id = r.id)
      limit ${limit} for update skip locked)`.execute(db);
  const erased = Number(result.numAffectedRows ?? 0n);
  if (erased < limit) {
    await sql`update campaigns set erased_at = engine_now() where id = ${campaign.id}`.execute(db);
  }
  return erased;
}
