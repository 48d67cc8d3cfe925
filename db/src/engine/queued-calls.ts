import type { CampaignStatus, DialingSchedule } from '@outdial/core';
import { sql } from 'kysely';
import { isSuppressed } from '../compliance/is-suppressed.ts';
import { hasLostConsent } from '../compliance/consent-of-dial.ts';
import type { Executor, Tx } from '../transaction.ts';

/** Calls of a campaign and zone that are queued at a provider, and what decides whether it may still dial them. */
export interface QueuedGroup {
  campaignId: string;
  timezone: string;
  status: CampaignStatus;
  schedule: DialingSchedule;
  now: Date;
}

/** The groups of these providers; with `callId`, only the group of this call. */
export async function findQueuedGroups(
  db: Executor,
  args: { providers: readonly string[]; callId?: string },
): Promise<QueuedGroup[]> {
  const { rows } = await sql<{
    now: Date;
    campaign_id: string;
    timezone: string;
    status: CampaignStatus;
    start_at: Date;
    end_at: Date | null;
    start_time: string;
    end_time: string;
    campaign_timezone: string;
    call_on_weekend: boolean;
  }>`
    with groups as (
      select distinct c.organization_id, c.campaign_id, r.timezone
      from calls c join campaign_recipients r
        on r.organization_id = c.organization_id and r.campaign_id = c.campaign_id and r.id = c.recipient_id
      where c.phase = 'placing' and c.accepted_at is not null and c.provider = any(${args.providers}::text[])
        and (${args.callId ?? null}::uuid is null or c.id = ${args.callId ?? null}::uuid))
    select engine_now() as now, q.campaign_id, q.timezone, g.status, g.start_at, g.end_at, g.start_time, g.end_time,
      g.timezone as campaign_timezone, f.call_on_weekend
    from groups q join campaigns g on g.organization_id = q.organization_id and g.id = q.campaign_id
    join campaign_configs f on f.organization_id = q.organization_id and f.campaign_id = q.campaign_id`.execute(
    db,
  );
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    timezone: row.timezone,
    status: row.status,
    schedule: {
      startAt: row.start_at,
      endAt: row.end_at,
      startTime: row.start_time,
      endTime: row.end_time,
      callOnWeekend: row.call_on_weekend,
      timezone: row.campaign_timezone,
    },
    now: row.now,
  }));
}

/**
 * Takes the queued calls of a group for a check and postpones their next one, so that other workers skip them. If this worker dies, the sweep of
 * overdue calls checks them. Skips calls whose next check is before `untilCheckAt`.
 */
export async function takeQueuedForCheck(
  tx: Tx,
  args: {
    campaignId: string;
    timezone: string;
    providers: readonly string[];
    nextCheckAt: Date;
    untilCheckAt: Date;
    limit: number;
  },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with queued as materialized (
      select c.id from calls c join campaign_recipients r
        on r.organization_id = c.organization_id and r.campaign_id = c.campaign_id and r.id = c.recipient_id
      where c.campaign_id = ${args.campaignId} and r.timezone = ${args.timezone} and c.phase = 'placing'
        and c.accepted_at is not null and c.provider = any(${args.providers}::text[]) and c.check_at > ${args.untilCheckAt}
      order by c.id limit ${args.limit} for no key update of c skip locked)
    update calls c set check_at = ${args.nextCheckAt} from queued where c.id = queued.id returning c.id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/**
 * Like `takeQueuedForCheck`, for queued calls whose person may no longer be called:
 *
 * - The number was suppressed during the send, when the suppression found no accepted call to check. Calls that were accepted longer ago than
 *   `acceptedWithinMs` have been checked.
 * - The consent of the call is over.
 */
export async function takeBarredForCheck(
  tx: Tx,
  args: { providers: readonly string[]; acceptedWithinMs: number; checkAgainMs: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with t as materialized (
      select engine_now() as now, engine_now() + ${args.checkAgainMs} * interval '1 millisecond' as check_at),
    queued as materialized (
      select q.id, t.check_at from t cross join calls q
      where q.phase = 'placing' and q.accepted_at is not null
        and q.provider = any(${args.providers}::text[]) and q.check_at > t.check_at
        and ((q.accepted_at > t.now - ${args.acceptedWithinMs} * interval '1 millisecond' and ${isSuppressed({ organization_id: sql`q.organization_id`, phone_number: sql`q.phone_number`, now: sql`t.now` })})
          or ${hasLostConsent(sql`t.now`)})
      order by q.id limit ${args.limit} for no key update of q skip locked)
    update calls c set check_at = queued.check_at from queued where c.id = queued.id returning c.id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Whether the consent of a call is over although its campaign requires one. */
export async function isConsentOver(db: Executor, callId: string): Promise<boolean> {
  const { rows } = await sql`
    select from calls q where q.id = ${callId} and ${hasLostConsent(sql`(select engine_now())`)}`.execute(db);
  return rows.length > 0;
}

/** The providers' ids of the recipient's earlier attempts, and of live calls to the same number. */
export async function findTakenConversationIds(db: Executor, callId: string): Promise<string[]> {
  const { rows } = await sql<{ conversation_id: string }>`
    with asked as (select id, recipient_id, phone_number, provider from calls where id = ${callId})
    select o.conversation_id from asked a join calls o on o.recipient_id = a.recipient_id
    where o.id <> a.id and o.conversation_id is not null
    union
    select o.conversation_id from asked a join calls o on o.phone_number = a.phone_number and o.provider = a.provider
    where o.phase in ('placing', 'ringing', 'answered') and o.id <> a.id and o.conversation_id is not null`.execute(
    db,
  );
  return rows.map((row) => row.conversation_id);
}
