import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../deferred.ts';
import { prepared } from '../prepared.ts';
import type { Tx } from '../transaction.ts';

/** Lines to give back: `campaignId` is null for a call that was made by itself. */
export interface HeldLines {
  organizationId: string;
  campaignId: string | null;
  provider: string;
  count: number;
}

/** Who may dial now that lines are free. */
export interface LineHeirs {
  campaignIds: string[];
  queuedCallIds: string[];
}

/**
 * Gives lines back at all three levels and wakes those who wait for one: first calls that were made by themselves, then
 * campaigns by priority, then by who was served least recently. Rows are locked in the engine's fixed order
 * (runtime, organizations, providers; each by key). Publish for the heirs after the commit.
 *
 * `areCapped` false says that none of these organizations and providers has a cap, so that nobody can be waiting: the lines go back
 * with the commit then, and their rows are held for no longer.
 */
export async function releaseLines(
  tx: Tx,
  held: readonly HeldLines[],
  now: Date,
  { areCapped = true }: { areCapped?: boolean } = {},
): Promise<LineHeirs> {
  if (held.length === 0) return { campaignIds: [], queuedCallIds: [] };
  if (!areCapped) {
    await deferred(giveBack(held, now), tx);
    return { campaignIds: [], queuedCallIds: [] };
  }
  const { rows } = await giveBack(held, now).execute(prepared(tx));
  // Without a cap nobody can be waiting for these lines.
  if (rows[0]?.capped !== true) return { campaignIds: [], queuedCallIds: [] };
  return findHeirs(tx, {
    organizations: [...new Set(held.map((lines) => lines.organizationId))],
    providers: [...new Set(held.map((lines) => lines.provider))],
    freed: held.reduce((sum, lines) => sum + lines.count, 0),
    now,
  });
}

function giveBack(held: readonly HeldLines[], now: Date): RawBuilder<{ capped: boolean }> {
  const campaigns = sums(held, (lines) => lines.campaignId);
  const organizations = sums(held, (lines) => lines.organizationId);
  const providers = sums(held, (lines) => lines.provider);
  // Each step reads the one before it, which fixes the order in which rows are locked.
  return sql<{ capped: boolean }>`
    with c as materialized (
      select rt.campaign_id, x.count from campaign_runtime rt
      join unnest(${campaigns.keys}::uuid[], ${campaigns.counts}::int[]) as x(id, count) on x.id = rt.campaign_id
      order by rt.campaign_id for no key update of rt),
    cu as (
      update campaign_runtime rt
      set lines_in_use = rt.lines_in_use - c.count,
          wake_at = case when g.status = 'running' then least(rt.wake_at, ${now}) else rt.wake_at end
      from c, campaigns g where g.id = c.campaign_id and rt.campaign_id = c.campaign_id
      returning 1),
    o as materialized (
      select o.id, x.count from organizations o
      join unnest(${organizations.keys}::uuid[], ${organizations.counts}::int[]) as x(id, count) on x.id = o.id
      cross join (select count(*) from cu) after
      order by o.id for no key update of o),
    ou as (
      update organizations o set lines_in_use = o.lines_in_use - h.count
      from o h where o.id = h.id returning o.max_lines is not null as capped),
    p as materialized (
      select p.name, x.count from providers p
      join unnest(${providers.keys}::text[], ${providers.counts}::int[]) as x(name, count) on x.name = p.name
      cross join (select count(*) from ou) after
      order by p.name for no key update of p),
    pu as (
      update providers p set lines_in_use = p.lines_in_use - h.count
      from p h where p.name = h.name returning p.max_lines is not null as capped)
    select coalesce(bool_or(capped), false) as capped
    from (select capped from ou union all select capped from pu) caps`;
}

/** Who waits for lines of these organizations and providers, in the order in which they are served; campaigns are woken. */
export async function findHeirs(
  tx: Tx,
  args: { organizations: string[]; providers: string[]; freed: number; now: Date },
): Promise<LineHeirs> {
  const queued = await sql<{ id: string }>`
    select id from calls
    where phase = 'queued' and (provider = any(${args.providers}) or organization_id = any(${args.organizations}::uuid[]))
    order by created_at limit ${args.freed}`.execute(prepared(tx));
  // Locked rows belong to somebody who is advancing them already.
  const campaigns = await sql<{ campaign_id: string }>`
    with heirs as materialized (
      select rt.campaign_id from campaign_runtime rt
      left join campaign_configs f on f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id
      where (rt.waiting_for = 'provider_line' and rt.provider = any(${args.providers}))
         or (rt.waiting_for = 'organization_line' and rt.organization_id = any(${args.organizations}::uuid[]))
      order by coalesce(f.priority, 0) desc, rt.served_at nulls first
      limit ${args.freed} for no key update of rt skip locked)
    update campaign_runtime rt set wake_at = ${args.now} from heirs where rt.campaign_id = heirs.campaign_id
    returning rt.campaign_id`.execute(prepared(tx));
  return {
    queuedCallIds: queued.rows.map((row) => row.id),
    campaignIds: campaigns.rows.map((row) => row.campaign_id),
  };
}

function sums(
  held: readonly HeldLines[],
  keyOf: (lines: HeldLines) => string | null,
): { keys: string[]; counts: number[] } {
  const totals = new Map<string, number>();
  for (const lines of held) {
    const key = keyOf(lines);
    if (key !== null) totals.set(key, (totals.get(key) ?? 0) + lines.count);
  }
  return { keys: [...totals.keys()], counts: [...totals.values()] };
}
