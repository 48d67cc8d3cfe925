import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../transaction.ts';
import { lineChargeSeconds, type LineAccount } from '@outdial/core';
import { deferred } from '../postgres/deferred.ts';

/** The lines in use according to the rows: a call has a line from its gate to its end. */
const level: Record<
  'campaigns' | 'organizations' | 'providers',
  { select: RawBuilder<unknown>; update: RawBuilder<unknown> }
> = {
  campaigns: counter({
    table: sql`campaign_runtime`,
    key: sql`campaign_id`,
    cap: sql`(select f.max_concurrent_calls from campaign_configs f where f.campaign_id = x.campaign_id)`,
    held: sql`(select count(*)::int from campaign_recipients r
               where r.campaign_id = x.campaign_id and r.state = 'dialing')`,
    isCounted: sql`true`,
  }),
  organizations: counter({
    table: sql`organizations`,
    key: sql`id`,
    cap: sql`x.max_lines`,
    isCounted: sql`x.max_lines is not null`,
    held: sql`(select (count(*) + count(*) filter (where c.transfer_line))::int from calls c
               where c.organization_id = x.id and c.line_held)`,
  }),
  providers: counter({
    table: sql`providers`,
    key: sql`name`,
    cap: sql`x.max_lines`,
    isCounted: sql`x.max_lines is not null`,
    held: sql`(select (count(*) + count(*) filter (where c.transfer_line))::int from calls c
               where c.provider = x.name and c.line_held)`,
  }),
};

function counter(parts: {
  table: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  cap: RawBuilder<unknown>;
  held: RawBuilder<unknown>;
  isCounted: RawBuilder<unknown>;
}): { select: RawBuilder<unknown>; update: RawBuilder<unknown> } {
  return {
    select: sql`select from ${parts.table} x where ${parts.isCounted} and x.lines_in_use <> ${parts.held}
      order by x.${parts.key} limit 100 for no key update of x skip locked`,
    // Never raises a counter above its cap. If the cap was lowered below the lines in use, the counter stays above it.
    update: sql`
      with counted as materialized (
        select x.${parts.key} as key, ${parts.held} as held, ${parts.cap} as cap from ${parts.table} x
        where ${parts.isCounted} and x.lines_in_use <> ${parts.held} order by 1 for no key update of x skip locked)
      update ${parts.table} x set lines_in_use = least(counted.held, greatest(counted.cap, x.lines_in_use))
      from counted where x.${parts.key} = counted.key
        and x.lines_in_use <> least(counted.held, greatest(counted.cap, x.lines_in_use))
      returning 1`,
  };
}

/**
 * Corrects line counters that disagree with the rows, and returns how many. There should be none, because counters change in the transactions
 * of their rows. The first statement locks the counters. Transactions update counters after their rows, so the second statement counts
 * correctly.
 */
export async function reconcileLines(tx: Tx): Promise<number> {
  let repaired = 0;
  for (const { select, update } of Object.values(level)) {
    const locked = await sql`${select}`.execute(tx);
    if (locked.rows.length === 0) continue;
    const { rows } = await sql`${update}`.execute(tx);
    repaired += rows.length;
  }
  return repaired;
}

/** The seconds of lines, relative to weight, of an account `a` at an instant. */
function usedAt(now: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(a.used + a.lines * greatest(0, extract(epoch from ${now} - a.as_of)::float8) / a.weight)`;
}

/**
 * Records lines that organizations took or released. A common table expression of a statement that has locked the providers' rows. If only one
 * organization wants lines, there is no account to update.
 * @param of rows of (provider, organization_id, by), with a positive `by` for lines that were taken
 */
export function bookLines(of: RawBuilder<unknown>, now: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    update line_accounts a set used = ${usedAt(now)}, lines = greatest(0, a.lines + booked.by), as_of = ${now}
    from ${of} booked where a.provider = booked.provider and a.organization_id = booked.organization_id`;
}

/**
 * The order in which organizations get lines, as in `organizationShare`: for the nth line after those that are `busy`. Uses `organizations o`, an account `a`
 * that may be missing, and `least.used`.
 */
export function lineRank(
  { busy, nth }: { busy: RawBuilder<unknown>; nth: RawBuilder<unknown> },
  now: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`(coalesce(${usedAt(now)}, least.used, 0)
    + ${sql.lit(lineChargeSeconds)} * (coalesce(${busy}, 0) + ${nth})::float8 / o.line_weight)`;
}

/** The least use of any organization at some providers, as one row `least`. */
export function leastUsed(providers: RawBuilder<unknown>, now: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select min(${usedAt(now)}) as used from line_accounts a where a.provider = any(${providers})) least`;
}

/** Upserts accounts of a provider whose row is locked. */
export async function saveLineAccounts(
  tx: Tx,
  provider: string,
  accounts: ReadonlyArray<{ organizationId: string; weight: number; account: LineAccount }>,
): Promise<void> {
  if (accounts.length === 0) return;
  const save = sql`
    insert into line_accounts (provider, organization_id, weight, used, lines, as_of, seen_at)
    select ${provider}, x.* from unnest(${accounts.map((one) => one.organizationId)}::uuid[],
      ${accounts.map((one) => one.weight)}::int[], ${accounts.map((one) => one.account.used)}::float8[],
      ${accounts.map((one) => one.account.lines)}::int[], ${accounts.map((one) => one.account.asOf)}::timestamptz[],
      ${accounts.map((one) => one.account.seenAt)}::timestamptz[]) x
    on conflict (provider, organization_id) do update
    set weight = excluded.weight, used = excluded.used, lines = excluded.lines, as_of = excluded.as_of, seen_at = excluded.seen_at`;
  await deferred(save, tx);
}

/** Deletes all accounts of a provider whose row is locked, when only one organization wants its lines. */
export async function dropLineAccounts(tx: Tx, provider: string): Promise<void> {
  await deferred(sql`delete from line_accounts where provider = ${provider}`, tx);
}
