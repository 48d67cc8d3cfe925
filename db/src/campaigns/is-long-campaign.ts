import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { numbersAtMost } from './numbers-of-page.ts';
import { shortParamsBytes } from './read-campaigns.ts';

/** Whether a campaign is too long for one answer. Stops reading as soon as it knows. */
export async function isLongCampaign(
  db: Executor,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
): Promise<boolean> {
  const { rows } = await sql<{ long: boolean }>`
    select coalesce(octet_length(c.recipient_params), 0) > ${shortParamsBytes} or exists (
      select from campaign_recipients r where r.campaign_id = c.id offset ${numbersAtMost - 1} limit 1) as long
    from campaigns c where c.organization_id = ${organizationId} and c.id = ${campaignId}`.execute(db);
  return rows[0]?.long === true;
}
