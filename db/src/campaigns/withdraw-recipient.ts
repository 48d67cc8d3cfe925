import { sql } from 'kysely';
import { recipientsFinished } from '../outbox/event-rows.ts';
import type { RecipientState } from '../schema/campaigns.ts';
import type { Tx } from '../transaction.ts';

/**
 * Withdraws one recipient of a campaign whose row is locked, unless it is finished; a call in progress continues. Returns the state before, or null if
 * the recipient does not exist.
 */
export async function withdrawRecipient(
  tx: Tx,
  args: { organizationId: string; campaignId: string; recipientId: string; now: Date },
): Promise<RecipientState | null> {
  const { rows } = await sql<{ state: RecipientState }>`
    select state from campaign_recipients
    where organization_id = ${args.organizationId} and campaign_id = ${args.campaignId} and id = ${args.recipientId}
    for no key update`.execute(tx);
  const [row] = rows;
  if (row === undefined) return null;
  await sql`
    with withdrawn as (
      update campaign_recipients r
      set withdrawn_at = ${args.now}::timestamptz,
          state = case r.state when 'pending' then 'withdrawn' else r.state end,
          next_attempt_at = case r.state when 'pending' then null else r.next_attempt_at end
      where organization_id = ${args.organizationId} and campaign_id = ${args.campaignId} and id = ${args.recipientId}
        and withdrawn_at is null and state in ('pending', 'dialing')
      returning r.*),
    revised as (
      update campaigns set recipients_revision = recipients_revision + 1
      where id = (select campaign_id from withdrawn)),
    told as (${recipientsFinished(sql`withdrawn where state = 'withdrawn'`, { reason: 'withdrawn', now: args.now })})
    select from withdrawn`.execute(tx);
  return row.state;
}
