import { sql } from 'kysely';
import type { TermsOwner } from '../gate/call-gate.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { CampaignKey } from '../keys.ts';

export interface QueuedGroup extends TermsOwner {
  phoneNumbers: string[];
}

/** The calls that are queued at these providers, by what owns their terms. */
export async function findQueuedGroups(db: Executor, providers: readonly string[]): Promise<QueuedGroup[]> {
  const { rows } = await sql<QueuedGroup>`
    select organization_id as "organizationId", campaign_id as "campaignId", array_agg(phone_number) as "phoneNumbers" from calls
    where phase = 'placing' and accepted_at is not null and provider = any(${providers}::text[])
    group by organization_id, campaign_id`.execute(db);
  return rows;
}

/** Has the call of a recipient checked at once if it is queued at its provider, so that it is withdrawn. Publish checks for the returned ids after the commit. */
export async function checkQueuedCallOf(
  tx: Tx,
  recipient: CampaignKey & { recipientId: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update calls set check_at = engine_now()
    where organization_id = ${recipient.organizationId} and campaign_id = ${recipient.campaignId}
      and recipient_id = ${recipient.recipientId} and phase = 'placing' and accepted_at is not null
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** The providers' ids of the recipient's earlier attempts, and of live calls to the same number. */
export async function findTakenConversationIds(db: Executor, callId: string): Promise<string[]> {
  const { rows } = await sql<{ conversation_id: string }>`
    with asked as (select id, recipient_id, phone_number, provider from calls where id = ${callId})
    select o.conversation_id from asked a join calls o on o.recipient_id = a.recipient_id
    where o.id <> a.id and o.conversation_id is not null
    union
    select o.conversation_id from asked a join calls o on o.phone_number = a.phone_number and o.provider = a.provider
    where o.line_held and o.id <> a.id and o.conversation_id is not null`.execute(db);
  return rows.map((row) => row.conversation_id);
}
