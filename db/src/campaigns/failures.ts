import { sql } from 'kysely';
import type { Db, Executor } from '../transaction.ts';
import type { CampaignKey } from '../keys.ts';

const longestWaitSeconds = 300;

/**
 * Records a failed job of a campaign, and delays the next one: 1 s, 2 s, 4 s, … up to five minutes. A successful advance resets the count.
 * Skips a locked campaign, which is being advanced. Returns the number of consecutive failures; null if it recorded nothing.
 */
export async function recordCampaignFailure(
  db: Db,
  { campaignId, error }: { campaignId: string; error: string },
): Promise<number | null> {
  const { rows } = await sql<{ failures: number }>`
    with locked as materialized (
      select campaign_id from campaign_runtime where campaign_id = ${campaignId} for no key update skip locked),
    wait as materialized (
      select rt.campaign_id, c.status = 'running' as is_running,
        engine_now() + least(${longestWaitSeconds}, 2 ^ least(rt.failures, 10)) * interval '1 second' as until
      from locked join campaign_runtime rt on rt.campaign_id = locked.campaign_id join campaigns c on c.id = locked.campaign_id)
    update campaign_runtime rt
    set failures = rt.failures + 1, last_error = ${error}, retry_at = wait.until,
        wake_at = case when wait.is_running then wait.until else rt.wake_at end,
        next_dial_at = case when wait.is_running then wait.until else rt.next_dial_at end,
        waiting_for = case when wait.is_running then 'error' else rt.waiting_for end
    from wait where rt.campaign_id = wait.campaign_id
    returning rt.failures`.execute(db);
  return rows[0]?.failures ?? null;
}

/** Lets a running campaign wait for its provider, which refuses the calls of its agent. Advances keep the pause until its end. */
export async function pauseCampaign(
  db: Db,
  { campaignId, error, forMs }: { campaignId: string; error: string; forMs: number },
): Promise<void> {
  await sql`
    with wait as materialized (select engine_now() + ${forMs} * interval '1 millisecond' as until)
    update campaign_runtime rt
    set failures = rt.failures + 1, last_error = ${error}, retry_at = wait.until, wake_at = wait.until,
        next_dial_at = wait.until, waiting_for = 'provider'
    -- Of its own row, which a change of the status that this waited for has written too.
    from wait where rt.campaign_id = ${campaignId} and rt.stopped_at is null`.execute(db);
}

/** Whether a running campaign is paused (`pauseCampaign`), whatever else it waits for, for `campaign_runtime rt`. */
export const isPaused = sql<boolean>`
  (rt.retry_at is not null and rt.stopped_at is null and rt.waiting_for is distinct from 'error')`;

/** Ends such a pause. False if there is none. */
export async function endCampaignPause(db: Db, campaignId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update campaign_runtime rt
    set failures = 0, last_error = null, retry_at = null, wake_at = least(wake_at, engine_now())
    where campaign_id = ${campaignId} and ${isPaused}`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** From this many failures on, operators see a recipient. Single failures are normal when a worker dies. */
const shownFromFailures = 3;

export interface FailingRecipients extends CampaignKey {
  recipients: number;
  since: Date;
  lastError: string;
}

/** By campaign, for all organizations, the longest failing first. */
export async function listFailingRecipients(
  db: Executor,
  { limit }: { limit: number },
): Promise<FailingRecipients[]> {
  const { rows } = await sql<FailingRecipients>`
    select f.organization_id as "organizationId", f.campaign_id as "campaignId", count(*)::int as recipients,
      min(f.failing_since) as since, (array_agg(f.last_error order by f.last_failed_at desc))[1] as "lastError"
    from failing_recipients f
    join campaign_recipients r on r.organization_id = f.organization_id and r.campaign_id = f.campaign_id and r.id = f.recipient_id
    join campaigns c on c.id = f.campaign_id and c.status = 'running'
    where f.failures >= ${shownFromFailures} and r.attempts = f.attempts and r.state = 'pending'
    group by f.organization_id, f.campaign_id order by since, f.campaign_id limit ${limit}`.execute(db);
  return rows;
}

/** Deletes failures older than a week, at most `limit` rows. Returns how many. */
export async function forgetFailures(db: Executor, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from failing_recipients where recipient_id = any(array(
      select recipient_id from failing_recipients where last_failed_at < (select engine_now()) - interval '7 days'
      order by last_failed_at limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
