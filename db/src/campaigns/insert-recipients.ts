import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import { recipientChunks, type RecipientList } from './recipient-list.ts';

/** Writes the recipients of a new campaign, all pending and due from `startAt`. */
export async function insertRecipients(
  tx: Tx,
  campaign: { organizationId: string; campaignId: string; startAt: Date },
  list: RecipientList,
): Promise<void> {
  for (const chunk of recipientChunks(list)) {
    await sql`
      insert into campaign_recipients
        (organization_id, campaign_id, position, phone_number, timezone, prompt_params, next_attempt_at)
      select ${campaign.organizationId}::uuid, ${campaign.campaignId}::uuid,
             ${chunk.firstPosition}::integer + r.n - 1, r.phone_number,
             coalesce(r.timezone, ${list.timezone}), r.prompt_params, ${campaign.startAt}::timestamptz
      from unnest(${chunk.phoneNumbers}::text[], ${chunk.timezones}::text[], ${chunk.promptParams}::jsonb[])
           with ordinality as r (phone_number, timezone, prompt_params, n)`.execute(tx);
  }
}
