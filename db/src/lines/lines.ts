import { sql, type RawBuilder } from 'kysely';
import { anyLength } from '../postgres/any-length.ts';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';
import { bookLines, leastUsed, lineRank } from './reconcile-lines.ts';
import { isTriedAt, linesByOrganization } from './provider-contention.ts';

export interface HeldLines {
  organizationId: string;
  /** Null for a direct call. */
  campaignId: string | null;
  provider: string;
  count: number;
  /** No recipient became due, so the campaign is only woken if it waits for a line, or if this was its last one. */
  isAllThatChanged?: boolean;
}

/** Campaigns and direct calls that may dial now that lines are free. */
export interface LineWaiters {
  readonly campaignIds: readonly string[];
  readonly queuedCallIds: readonly string[];
}

export interface ReleasedLines {
  lineWaiters: LineWaiters;
  /** Campaigns to advance because of their own lines. Resolves after the commit. */
  woken: Promise<string[]>;
}

/**
 * Releases lines of campaigns, organizations and providers, and finds line waiters: first direct calls, then campaigns, in the order of
 * `findLineWaiters`. Locks rows in the engine's fixed order (runtime, organizations, providers; each by key). Lock the caps before
 * (line-caps.ts), and publish jobs for the line waiters after the commit.
 * @param areCapped false if none of these organizations and providers has a cap. Then their lines are not counted and there are no line waiters,
 *   so this locks no shared row, and is sent with the commit.
 */
export async function releaseLines(
  tx: Tx,
  held: readonly HeldLines[],
  now: Date,
  { areCapped = true }: { areCapped?: boolean } = {},
): Promise<ReleasedLines> {
  if (held.length === 0) return { lineWaiters: noLineWaiters, woken: Promise.resolve([]) };
  if (!areCapped) {
    const { rows } = await deferred(releaseLinesSql(held, now, { areCapped }), tx);
    const woken = rows.then((answered) => answered.flatMap((row) => row.woken));
    woken.catch(() => undefined);
    return { lineWaiters: noLineWaiters, woken };
  }
  const { rows } = await releaseLinesSql(held, now, { areCapped }).execute(prepared(tx));
  const woken = Promise.resolve(rows.flatMap((row) => row.woken));
  if (rows[0]?.capped !== true) return { lineWaiters: noLineWaiters, woken };
  const lineWaiters = await findLineWaiters(tx, {
    organizations: [...new Set(held.map((lines) => lines.organizationId))],
    providers: [...new Set(held.map((lines) => lines.provider))],
    freed: held.reduce((sum, lines) => sum + lines.count, 0),
    now,
  });
  return { lineWaiters, woken };
}

export const noLineWaiters: LineWaiters = { campaignIds: [], queuedCallIds: [] };

interface ReleasedSums {
  capped: boolean;
  woken: string[];
}

/**
 * Wakes a campaign if it waits for a line, if its last line was released, or if a recipient became due. In other cases an advance would change
 * nothing. Exported for the warm-up.
 */
export function releaseLinesSql(
  held: readonly HeldLines[],
  now: Date,
  { areCapped }: { areCapped: boolean },
): RawBuilder<ReleasedSums> {
  const campaigns = sums(held, (lines) => lines.campaignId);
  const toCampaigns = sql`
    with c as materialized (
      select rt.campaign_id, x.count, x.more from campaign_runtime rt
      join unnest(${anyLength(campaigns.keys, 'uuid')}, ${anyLength(campaigns.counts, 'int')},
                  ${anyLength(campaigns.more, 'boolean')}) as x(id, count, more)
        on x.id = rt.campaign_id
      order by rt.campaign_id for no key update of rt),
    cu as (
      update campaign_runtime rt
      set lines_in_use = rt.lines_in_use - c.count,${waitsAtProvider(areCapped)}
          wake_at = case when g.status = 'running' and ${isWoken(sql`rt.lines_in_use - c.count`)}
                         then least(rt.wake_at, ${now}) else rt.wake_at end
      from c, campaigns g where g.id = c.campaign_id and rt.campaign_id = c.campaign_id
      -- With any status, because the campaign may have been resumed while this waited for its row.
      returning rt.campaign_id, ${isWoken(sql`rt.lines_in_use`)} as is_woken)`;
  if (!areCapped) {
    return sql<ReleasedSums>`${toCampaigns}
      select false as capped, array(select campaign_id from cu where is_woken) as woken`;
  }
  const organizations = sums(held, (lines) => lines.organizationId);
  const providers = sums(held, (lines) => lines.provider);
  // The lines that each organization releases to each provider, after their rows are locked.
  const returned = sql`(
    select provider, organization_id, -sum(x.count)::int as by
    from unnest(${held.map((lines) => lines.provider)}::text[], ${held.map((lines) => lines.organizationId)}::uuid[],
                ${held.map((lines) => lines.count)}::int[]) as x(provider, organization_id, count)
    cross join (select count(*) from pu) after_providers
    group by provider, organization_id)`;
  // Each step reads the previous one, which fixes the order of the row locks.
  return sql<ReleasedSums>`${toCampaigns},
    o as materialized (
      select o.id, x.count from organizations o
      join unnest(${organizations.keys}::uuid[], ${organizations.counts}::int[]) as x(id, count) on x.id = o.id
      cross join (select count(*) from cu) after_campaigns
      where o.max_lines is not null
      order by o.id for no key update of o),
    ou as (
      update organizations o set lines_in_use = o.lines_in_use - h.count
      from o h where o.id = h.id returning true),
    p as materialized (
      select p.name, x.count from providers p
      join unnest(${providers.keys}::text[], ${providers.counts}::int[]) as x(name, count) on x.name = p.name
      -- After the campaigns, even if no organization has a cap.
      cross join (select count(*) from cu) after_campaigns
      cross join (select count(*) from ou) after_organizations
      where p.max_lines is not null
      order by p.name for no key update of p),
    pu as (
      update providers p set lines_in_use = p.lines_in_use - h.count
      from p h where p.name = h.name returning true),
    booked as (${bookLines(returned, sql`${now}::timestamptz`)})
    select (select count(*) from ou) + (select count(*) from pu) > 0 as capped,
      array(select campaign_id from cu where is_woken) as woken`;
}

/** A campaign that used all of its own lines now waits for a line of its provider. Otherwise it would not count as a waiter until its next advance. */
function waitsAtProvider(areCapped: boolean): RawBuilder<unknown> {
  if (!areCapped) return sql``;
  return sql`
          waiting_for = case when rt.waiting_for = 'campaign_line' and g.status = 'running' and exists (
            select from providers w where w.name = rt.provider and w.max_lines is not null) then 'provider_line' else rt.waiting_for end,`;
}

function isWoken(linesInUse: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(c.more or ${linesInUse} = 0 or rt.waiting_for is null
    or rt.waiting_for in ('campaign_line', 'abandonment', 'organization_line', 'provider_line'))`;
}

/** Campaigns, or a call, that were just checked. */
export interface ExcludedWaiters {
  ids: readonly string[];
  /** Excludes the whole organization if it may use none of the lines. */
  organizationId: string | null;
}

/**
 * Finds and wakes campaigns, and finds calls, that wait for lines of these organizations and providers. Organizations are ordered by use relative
 * to weight, and their campaigns by priority and by when they were last served.
 */
export async function findLineWaiters(
  tx: Tx,
  args: { organizations: string[]; providers: string[]; freed: number; now: Date; except?: ExcludedWaiters },
): Promise<LineWaiters> {
  const now = sql`${args.now}::timestamptz`;
  const busy = linesByOrganization(sql`${args.providers}::text[]`);
  const least = leastUsed(sql`${args.providers}::text[]`, now);
  const rank = (nth: RawBuilder<unknown>) => lineRank({ busy: sql`busy.lines`, nth }, now);
  const { ids, organizationId: exceptOf } = args.except ?? { ids: [], organizationId: null };
  const except = sql`all(${anyLength(ids, 'uuid')})`;
  const queued = await sql<{ id: string }>`
    select id from (
      select c.id, c.created_at, ${rank(sql`row_number() over (partition by c.organization_id order by c.created_at)`)} as rank
      from calls c join organizations o on o.id = c.organization_id left join ${busy} busy on busy.organization_id = o.id
      left join line_accounts a on a.provider = c.provider and a.organization_id = c.organization_id cross join ${least}
      where c.phase = 'queued' and c.queue_deadline_at is not null and ${isTriedAt(now)} and c.id <> ${except} and c.organization_id is distinct from ${exceptOf}
        and (c.provider = any(${args.providers}) or c.organization_id = any(${args.organizations}::uuid[]))) ranked
    order by rank, created_at limit ${args.freed}`.execute(prepared(tx));
  // A campaign whose row is locked is already being advanced.
  const campaigns = await sql<{ campaign_id: string }>`
    with ranked as materialized (
      select rt.campaign_id, rt.served_at, ${rank(sql`row_number() over (
        partition by rt.organization_id order by f.priority desc, rt.served_at nulls first)`)} as rank
      from campaign_runtime rt join organizations o on o.id = rt.organization_id
      join campaign_configs f on f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id
      left join ${busy} busy on busy.organization_id = o.id
      left join line_accounts a on a.provider = rt.provider and a.organization_id = rt.organization_id cross join ${least}
      where rt.campaign_id <> ${except} and rt.organization_id is distinct from ${exceptOf} and (
        (rt.waiting_for = 'provider_line' and rt.provider = any(${args.providers}))
        or (rt.waiting_for = 'organization_line' and rt.organization_id = any(${args.organizations}::uuid[])))),
    waiters as materialized (
      select rt.campaign_id from campaign_runtime rt join ranked on ranked.campaign_id = rt.campaign_id
      order by ranked.rank, ranked.served_at nulls first
      limit ${args.freed} for no key update of rt skip locked)
    update campaign_runtime rt set wake_at = ${args.now} from waiters where rt.campaign_id = waiters.campaign_id
    returning rt.campaign_id`.execute(prepared(tx));
  return {
    queuedCallIds: queued.rows.map((row) => row.id),
    campaignIds: campaigns.rows.map((row) => row.campaign_id),
  };
}

function sums(
  held: readonly HeldLines[],
  keyOf: (lines: HeldLines) => string | null,
): { keys: string[]; counts: number[]; more: boolean[] } {
  const totals = new Map<string, { count: number; more: boolean }>();
  for (const lines of held) {
    const key = keyOf(lines);
    if (key === null) continue;
    const total = totals.get(key) ?? { count: 0, more: false };
    total.count += lines.count;
    total.more ||= lines.isAllThatChanged !== true;
    totals.set(key, total);
  }
  const all = [...totals.values()];
  return { keys: [...totals.keys()], counts: all.map((one) => one.count), more: all.map((one) => one.more) };
}
