import type { CampaignPurpose } from '@outdial/core';
import { sql } from 'kysely';
import { applyRules, rulesInForce } from '../compliance/rule-versions.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { DirectSettings } from '../gate/direct-terms.ts';

/** Calls that are queued at a provider: those of a campaign, or the direct calls of an organization. */
export interface QueuedGroup {
  organizationId: string;
  campaign: { id: string; revision: number } | null;
  phoneNumbers: string[];
  /** Of the call, if the group is one direct call. */
  purpose: CampaignPurpose | null;
  /** As of the revision. */
  settings: DirectSettings;
  now: Date;
}

/** The groups of these providers; with `callId`, only the group of this call, with this call alone. */
export async function findQueuedGroups(
  db: Executor,
  { providers, callId }: { providers: readonly string[]; callId?: string },
): Promise<QueuedGroup[]> {
  const { rows } = await sql<
    DirectSettings & {
      organization_id: string;
      campaign_id: string | null;
      revision: number | null;
      phone_numbers: string[];
      purpose: CampaignPurpose | null;
      rules_version: number;
      now: Date;
    }
  >`
    select q.*, g.revision, o.calling_policy, o.allowed_countries, o.allowed_special_numbers, engine_now() as now,
      ${rulesInForce} as rules_version
    from (
      select organization_id, campaign_id, array_agg(phone_number) as phone_numbers, max(purpose) as purpose from calls
      where phase = 'placing' and accepted_at is not null and provider = any(${providers}::text[])
        ${callId === undefined ? sql`` : sql`and id = ${callId}`}
      group by organization_id, campaign_id) q
    join organizations o on o.id = q.organization_id
    left join campaigns g on g.id = q.campaign_id`.execute(db);
  if (rows[0] !== undefined) await applyRules(db, rows[0].rules_version);
  return rows.map(({ organization_id: organizationId, campaign_id: id, revision, ...row }) => ({
    organizationId,
    campaign: id === null || revision === null ? null : { id, revision },
    phoneNumbers: row.phone_numbers,
    purpose: row.purpose,
    settings: row,
    now: row.now,
  }));
}

/**
 * Has the call of a recipient checked at once if it is queued at its provider, so that it is withdrawn. Publish checks for the returned ids after
 * the commit.
 */
export async function checkQueuedCallOf(
  tx: Tx,
  recipient: { organizationId: string; campaignId: string; recipientId: string },
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
