import { sql } from 'kysely';
import { anyLength } from '../../postgres/any-length.ts';
import { prepared } from '../../postgres/prepared.ts';
import type { Executor } from '../../transaction.ts';

/** The numbers of recipients of a campaign, by id. They never change, so they are read before the gate and its locks. */
export async function findNumbersOfRecipients(
  db: Executor,
  campaign: { organizationId: string; campaignId: string },
  recipientIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; phone_number: string }>`
    select r.id, r.phone_number from unnest(${anyLength(recipientIds, 'uuid')}) as x(id)
    cross join lateral (
      select id, phone_number from campaign_recipients
      where organization_id = ${campaign.organizationId} and campaign_id = ${campaign.campaignId} and id = x.id limit 1) r`.execute(
    prepared(db),
  );
  return new Map(rows.map((row) => [row.id, row.phone_number]));
}
