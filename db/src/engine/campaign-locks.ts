import { sql, type RawBuilder } from 'kysely';
import { anyLength } from '../postgres/any-length.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';

/**
 * Gates and the ends of calls hold a campaign in share mode; a pause, a config, a change of its numbers hold it alone.
 *
 * Row locks alone are not fair: a transaction that wants a row in share mode joins those that have it, past a change that waits. With commits of
 * 10 ms and gates that overlap, a pause waits for seconds. So both take an advisory lock (class 2) before the row: Postgres queues
 * those in order, and a change waits only for transactions that were there before it. The row lock after it protects against
 * statements that know nothing of this queue.
 *
 * Two campaigns whose ids have the same hash wait for each other now and then, no more.
 */
function queueOf(organizationId: RawBuilder<unknown>, campaignId: RawBuilder<unknown>): RawBuilder<unknown> {
  // With the organization, so that an id of another organization blocks nothing.
  return sql`2, hashtext((${organizationId})::text || (${campaignId})::text)`;
}

/** Takes a place in the queue of those who share a campaign; for a statement that locks its row after it. */
export function sharedCampaign(
  organizationId: RawBuilder<unknown>,
  campaignId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`pg_advisory_xact_lock_shared(${queueOf(organizationId, campaignId)})`;
}

/**
 * Holds the campaigns of calls in share mode until the commit, in the order of their ids: their status, schedule and config stay as
 * they are. Take it after the caps of lines (line-caps.ts) and before the rows of calls and recipients.
 * It goes out with the next statement, which reads what was committed before these locks were there.
 */
export async function shareCampaignsOfCalls(tx: Tx, callIds: readonly string[]): Promise<void> {
  if (callIds.length === 0) return;
  await deferred(shareCampaignsStatement(callIds), tx);
}

/** Public for the warm-up. */
export function shareCampaignsStatement(callIds: readonly string[]): RawBuilder<unknown> {
  return sql`
    with wanted as materialized (
      select distinct c.campaign_id as id, c.organization_id from unnest(${anyLength(callIds, 'uuid')}) as x(id)
      cross join lateral (select campaign_id, organization_id from calls where id = x.id limit 1) c
      where c.campaign_id is not null order by 1),
    queued as materialized (select id, ${sharedCampaign(sql`organization_id`, sql`id`)} from wanted)
    select count(*) from queued
    cross join lateral (select id from campaigns where id = queued.id limit 1 for share) shared`;
}

/**
 * The same for a campaign by its id alone: an advance's claims are there, or not, when a pause, a config or an end decides what becomes
 * of its recipients.
 */
export async function shareCampaignOfId(tx: Tx, campaignId: string): Promise<void> {
  const shared = sql`
    with queued as materialized (
      select id, ${sharedCampaign(sql`organization_id`, sql`id`)} from campaigns where id = ${campaignId})
    select count(*) from queued
    cross join lateral (select id from campaigns where id = queued.id limit 1 for share) shared`;
  await deferred(shared, tx);
}

/**
 * Holds a campaign's row alone until the commit: gates and ends of calls that were open have committed when the next statement
 * runs, and those that come find what this transaction leaves. Where claims may be released under it, the caps of lines are held before.
 */
export async function lockCampaignRow(
  tx: Tx,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
): Promise<void> {
  const queue = queueOf(sql`${organizationId}::uuid`, sql`${campaignId}::uuid`);
  await deferred(sql`select pg_advisory_xact_lock(${queue})`, tx);
  await deferred(
    sql`select from campaigns where id = ${campaignId} and organization_id = ${organizationId} for no key update`,
    tx,
  );
}
