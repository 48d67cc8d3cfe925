import { sql, type RawBuilder } from 'kysely';
import { locks } from '../locks.ts';
import { anyLength } from '../postgres/any-length.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';

/**
 * Gates and the ends of calls lock a campaign in share mode; changes of its status, config and numbers lock it exclusively.
 *
 * Row locks alone are not fair: a transaction that wants a row in share mode joins the current holders, and so overtakes a waiting change. With
 * commits of 10 ms and overlapping gates, a pause would wait for seconds. So both sides take an advisory lock before the row. Postgres
 * queues these in order, and a change waits only for transactions that came before it. The row lock after it protects against statements that do not
 * use this queue.
 *
 * This one takes the advisory lock of a campaign in share mode, for a statement that locks its row afterwards.
 */
export function sharedCampaign(
  organizationId: RawBuilder<unknown>,
  campaignId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return locks.campaign.share(organizationId, campaignId);
}

/**
 * Locks the campaigns of calls in share mode until the commit, in the order of their ids, so that their status, schedule and config do not
 * change. Call it after locking the caps of lines (line-caps.ts) and before the rows of calls and recipients.
 * It is sent with the next statement, which then sees everything that was committed before these locks were granted.
 */
export async function shareCampaignsOfCalls(tx: Tx, callIds: readonly string[]): Promise<void> {
  if (callIds.length === 0) return;
  await deferred(shareCampaignsStatement(callIds), tx);
}

/** Exported for the warm-up. */
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
 * Locks a campaign's row exclusively until the commit. When the next statement runs, open gates and ends of calls have committed,
 * and later ones see the result of this transaction.
 */
export async function lockCampaignRow(
  tx: Tx,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
): Promise<void> {
  await deferred(sql`select ${locks.campaign.take(organizationId, campaignId)}`, tx);
  await deferred(
    sql`select from campaigns where id = ${campaignId} and organization_id = ${organizationId} for no key update`,
    tx,
  );
}
