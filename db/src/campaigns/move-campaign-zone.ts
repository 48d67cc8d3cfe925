import { sql } from 'kysely';
import type { CampaignKey } from './wake.ts';
import type { Tx } from '../transaction.ts';

/**
 * Moves recipients from the campaign's old zone to the new one, unless the zone is their own. Returns the keys of all recipients afterwards.
 * @param args.ownZones numbers for which the caller explicitly named the old zone
 */
export async function moveCampaignZone(
  tx: Tx,
  { organizationId, campaignId }: CampaignKey,
  args: { from: string; to: string; ownZones: readonly string[] },
): Promise<string[]> {
  await sql`
    update campaign_recipients set calling_key = ${args.to}
    where organization_id = ${organizationId} and campaign_id = ${campaignId} and calling_key = ${args.from}
      and place ->> 'timezone' is null and phone_number <> all(${args.ownZones}::text[])`.execute(tx);
  const { rows } = await sql<{ calling_key: string }>`
    select distinct calling_key from campaign_recipients
    where organization_id = ${organizationId} and campaign_id = ${campaignId}`.execute(tx);
  return rows.map(({ calling_key: key }) => key).toSorted();
}
