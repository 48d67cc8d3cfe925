import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';
import type { CampaignKey, CallKey } from '../keys.ts';

/** The calls of a campaign, the call of one of its recipients, or one call. */
export type HangUpTarget = (CampaignKey & { recipientId?: string }) | CallKey;

/**
 * Marks calls in progress to be hung up by a worker, and returns their ids. A call that its provider has not accepted yet is hung up afterwards.
 * A repeated request has no effect.
 */
export async function requestHangUps(tx: Tx, target: HangUpTarget, now: Date): Promise<string[]> {
  const wanted =
    'callId' in target
      ? sql`select ${target.callId}::uuid as id`
      : sql`
        select c.id from campaign_recipients r join calls c on c.recipient_id = r.id and c.line_held
        where r.organization_id = ${target.organizationId} and r.campaign_id = ${target.campaignId} and r.state = 'dialing'
          and (${target.recipientId ?? null}::uuid is null or r.id = ${target.recipientId ?? null}::uuid)`;
  const { rows } = await sql<{ id: string }>`
    with wanted as materialized (${wanted}),
    locked as materialized (
      select c.id from wanted join calls c on c.id = wanted.id
      where c.organization_id = ${target.organizationId} and c.line_held
      order by c.id for no key update of c)
    update calls c set hangup_requested_at = coalesce(c.hangup_requested_at, ${now})
    from locked where c.id = locked.id returning c.id`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Calls to hang up that their provider has accepted, the longest waiting first. Takes from each provider in turn, so that one that confirms nothing
 * does not delay the calls of others.
 */
export async function findCallsToHangUp(db: Executor, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, hangup_requested_at, row_number() over (partition by provider order by hangup_requested_at) as nth from calls
      where hangup_requested_at is not null and line_held and accepted_at is not null
        and kind <> 'web') waiting
    order by nth, hangup_requested_at limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}
