import { seenAgainSeconds, usedSoFar, type LineAccount, type OrganizationLines } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';
import { dropLineAccounts, saveLineAccounts } from './reconcile-lines.ts';

/** The lines of organizations at some providers, counted from the rows, because counters exist only for whole providers. */
export function linesByOrganization(providers: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select organization_id, count(*)::int as lines from calls
    where line_held and provider = any(${providers})
    group by organization_id)`;
}

/** Accounts are dropped this long after another organization was last seen. */
const accountsForSeconds = 60;

interface Contender {
  id: string;
  weight: number;
  inUse: number;
  waits: boolean;
  wanted: number | null;
  account: LineAccount | null;
}

/**
 * The organizations that want lines of a provider with a cap, and how much each has used. Updates their accounts; the provider's row is locked.
 * An organization does not want lines that its own cap forbids. Counts the live calls of the provider only if another organization waits.
 */
export async function readProviderContention(
  tx: Tx,
  args: { organizationId: string; provider: string; now: Date },
): Promise<{ own: OrganizationLines; others: OrganizationLines[] }> {
  const contenders = await readContenders(tx, args);
  const own = contenders.find(({ id }) => id === args.organizationId);
  const nothing: OrganizationLines = { inUse: 0, weight: 1, used: 0 };
  if (!own) return { own: nothing, others: [] };
  const waiting = contenders.filter((one) => one.waits && one !== own);
  if (waiting.length === 0 && contenders.every(({ account }) => account === null)) {
    return { own: { ...nothing, weight: own.weight }, others: [] };
  }
  const used = usedSoFar(contenders, args.now);
  const linesOf = (one: Contender): OrganizationLines => ({
    inUse: one.inUse,
    weight: one.weight,
    used: used[contenders.indexOf(one)] ?? 0,
    ...(one.wanted !== null && { wanted: one.wanted }),
  });
  if (waiting.length === 0 && !wereSeenLately(contenders, own, args.now)) {
    await dropLineAccounts(tx, args.provider);
  } else {
    const accounts = contenders.flatMap((one) => {
      const account: LineAccount = {
        used: linesOf(one).used,
        lines: one.inUse,
        asOf: args.now,
        seenAt: args.now,
      };
      const isWrong = one.account !== null && one.account.lines !== one.inUse;
      const takesPart = one === own || isWrong || (waiting.length > 0 && (one.waits || one.inUse > 0));
      return takesPart && needsSave(one.account, account)
        ? [{ organizationId: one.id, weight: one.weight, account }]
        : [];
    });
    await saveLineAccounts(tx, args.provider, accounts);
  }
  const { inUse, weight, used: usedByOwn } = linesOf(own);
  return { own: { inUse, weight, used: usedByOwn }, others: waiting.map(linesOf) };
}

function wereSeenLately(contenders: readonly Contender[], own: Contender, now: Date): boolean {
  return contenders.some(
    (one) =>
      one !== own &&
      one.account !== null &&
      Math.abs(now.getTime() - one.account.seenAt.getTime()) < accountsForSeconds * 1000,
  );
}

/** Use grows with time without an update, so only other changes are saved. */
function needsSave(before: LineAccount | null, after: LineAccount): boolean {
  if (before === null || before.lines !== after.lines) return true;
  return Math.abs(after.seenAt.getTime() - before.seenAt.getTime()) >= seenAgainSeconds * 1000;
}

/** Whether a queued call `c` may be tried: it was not sent to wait until later (`undoAttempt`, `postponeQueuedCall`). */
export const isTriedAt = (now: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(c.check_at is null or c.check_at <= ${now})`;

async function readContenders(
  tx: Tx,
  { organizationId, provider }: { organizationId: string; provider: string },
): Promise<Contender[]> {
  const { rows } = await sql<{
    organization_id: string;
    in_use: number;
    weight: number;
    waits: boolean;
    wanted: number | null;
    used: number | null;
    lines: number | null;
    as_of: Date | null;
    seen_at: Date | null;
  }>`
    with queued as materialized (
      select organization_id, count(*)::int as calls from calls c
      where phase = 'queued' and queue_deadline_at is not null and ${isTriedAt(sql`(select engine_now())`)} and provider = ${provider}
      group by organization_id),
    campaigns as materialized (
      select distinct organization_id from campaign_runtime
      where waiting_for = 'provider_line' and provider = ${provider}),
    accounts as materialized (select * from line_accounts where provider = ${provider}),
    busy as materialized (
      select b.* from (select where exists (
        select from queued where organization_id <> ${organizationId} union all
        select from campaigns where organization_id <> ${organizationId} union all
        select from accounts)) contended
      cross join lateral ${linesByOrganization(sql`array[${provider}]::text[]`)} b),
    contenders as (
      select ${organizationId}::uuid as organization_id
      union select organization_id from queued union select organization_id from campaigns
      union select organization_id from accounts union select organization_id from busy)
    select o.id as organization_id, coalesce(busy.lines, 0) as in_use, o.line_weight as weight,
      queued.organization_id is not null or campaigns.organization_id is not null as waits,
      least(case when campaigns.organization_id is null then coalesce(queued.calls, 0) end,
            case when o.max_lines is not null then greatest(0, o.max_lines - o.lines_in_use) end) as wanted,
      a.used, a.lines, a.as_of, a.seen_at
    from contenders join organizations o on o.id = contenders.organization_id
    left join queued on queued.organization_id = o.id
    left join campaigns on campaigns.organization_id = o.id
    left join accounts a on a.organization_id = o.id
    left join busy on busy.organization_id = o.id`.execute(prepared(tx));
  return rows.map((row) => ({
    id: row.organization_id,
    weight: row.weight,
    inUse: row.in_use,
    waits: row.waits,
    wanted: row.wanted,
    account:
      row.used === null || row.lines === null || row.as_of === null || row.seen_at === null
        ? null
        : { used: row.used, lines: row.lines, asOf: row.as_of, seenAt: row.seen_at },
  }));
}
