import { lineChargeSeconds, type LineAccount } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';

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
