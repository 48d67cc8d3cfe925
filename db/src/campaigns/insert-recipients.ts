import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import { recipientChunks, type RecipientList } from './recipient-list.ts';

/** Inserts the recipients of a new campaign, due from `startAt`. */
export async function insertRecipients(
  tx: Tx,
  campaign: { organizationId: string; campaignId: string; startAt: Date },
  list: RecipientList,
): Promise<void> {
  for (const chunk of recipientChunks(list)) {
    await sql`
      insert into campaign_recipients
        (organization_id, campaign_id, position, phone_number, calling_key, place, prompt_params, next_attempt_at)
      select ${campaign.organizationId}::uuid, ${campaign.campaignId}::uuid,
             ${chunk.firstPosition}::integer + r.n - 1, r.phone_number,
             coalesce(r.key, ${list.timezone}), r.place, r.prompt_params, ${campaign.startAt}::timestamptz
      from unnest(${chunk.phoneNumbers}::text[], ${chunk.keys}::text[], ${chunk.places}::jsonb[], ${chunk.promptParams}::jsonb[])
           with ordinality as r (phone_number, key, place, prompt_params, n)`.execute(tx);
  }
}
