import { sql } from 'kysely';
import { recipientsFinished } from '../outbox/event-rows.ts';
import type { Tx } from '../transaction.ts';

/** Ends a waiting recipient whose number the organization may no longer call. False if the recipient does not wait. */
export async function suppressRecipient(
  tx: Tx,
  args: { organizationId: string; campaignId: string; recipientId: string; now: Date },
): Promise<boolean> {
  const { organizationId, campaignId, recipientId, now } = args;
  const { rows } = await sql<{ ended: number }>`
    with ended as (
      update campaign_recipients
      set state = 'suppressed', next_attempt_at = null
      where organization_id = ${organizationId} and campaign_id = ${campaignId} and id = ${recipientId}
        and state = 'pending'
      returning organization_id, campaign_id, id, last_outcome, attempts, round),
    told as (${recipientsFinished(sql`ended`, { reason: 'suppressed', now })})
    select count(*)::int as ended from ended`.execute(tx);
  return (rows[0]?.ended ?? 0) > 0;
}
