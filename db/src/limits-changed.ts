import type { WaitingReason } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import type { CampaignKey } from './keys.ts';
import type { Executor } from './transaction.ts';

/**
 * Bumps the revisions of an organization's running campaigns, so that their gates read its changed settings. Waits for open gates. Comes before
 * the organization's row, because campaigns are locked first.
 */
export async function bumpRunningCampaigns(db: Executor, organizationId: string): Promise<void> {
  await sql`
    update campaigns set revision = revision + 1 where id in (
      select id from campaigns where organization_id = ${organizationId} and status = 'running'
      order by id for no key update)`.execute(db);
}

/** Wakes campaigns that wait for the quota of the day. */
export async function wakeForQuota(db: Executor, organizationId: string, now: Date): Promise<void> {
  await wake(db, organizationId, 'quota', now);
}

/** Wakes campaigns whose agents have instructions for answered calls that the operator has not allowed. */
export async function wakeForInstructions(db: Executor, organizationId: string, now: Date): Promise<void> {
  await wake(db, organizationId, 'voice_not_allowed', now);
}

/**
 * Makes everybody due whom the gate deferred, so that it judges them by the rules that this transaction changes. Gates wait for the commit. Without
 * an organization it concerns all of them.
 */
export async function endDeferrals(
  db: Executor,
  { organizationId = null, campaignId = null }: { [Key in keyof CampaignKey]?: string | null },
): Promise<void> {
  // A million rows may take longer than the timeout.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql`
    with locked as materialized (
      select r.organization_id, r.campaign_id, r.id, c.status from campaigns c join campaign_recipients r on r.campaign_id = c.id
      where (${organizationId}::uuid is null or c.organization_id = ${organizationId}) and (${campaignId}::uuid is null or c.id = ${campaignId})
        and c.status in ('draft', 'paused', 'running') and c.deleted_at is null
        and r.state = 'pending' and r.deferred_until = r.next_attempt_at
      order by r.organization_id, r.campaign_id, r.id for no key update of r),
    ended as (
      update campaign_recipients r set next_attempt_at = engine_now(), deferred_until = null, deferred_for = null
      from locked where r.organization_id = locked.organization_id and r.campaign_id = locked.campaign_id and r.id = locked.id)
    update campaign_runtime rt set wake_at = least(rt.wake_at, engine_now())
    from (
      select campaign_id from campaign_runtime
      where campaign_id in (select campaign_id from locked where status = 'running')
      order by campaign_id for no key update) woken
    where rt.campaign_id = woken.campaign_id`.execute(db);
}

async function wake(
  db: Executor,
  organizationId: string,
  waitingFor: WaitingReason,
  now: Date,
): Promise<void> {
  const which = sql`organization_id = ${organizationId} and waiting_for = ${waitingFor}`;
  await wakeWhere(db, which, sql`${now}::timestamptz`);
}

/** Wakes campaigns, in the order in which runtime rows are locked. @param which a condition on `campaign_runtime` */
export async function wakeWhere(
  db: Executor,
  which: RawBuilder<unknown>,
  at: RawBuilder<unknown> = sql`engine_now()`,
): Promise<void> {
  await sql`
    update campaign_runtime rt set wake_at = ${at} from (
      select campaign_id from campaign_runtime where ${which} order by campaign_id for no key update) woken
    where rt.campaign_id = woken.campaign_id`.execute(db);
}
