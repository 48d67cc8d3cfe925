import { lineChargeSeconds, type OrganizationLines, usedSoFar } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';

/** Who wants slots of time of a provider that has a pace. */
export interface SlotContention {
  own: OrganizationLines;
  /** The other organizations that are expected to take the next slots. */
  others: OrganizationLines[];
}

interface SlotsOf {
  organizationId: string;
  provider: string;
  /** The provider's row is held, and this is an instant after that. */
  now: Date;
}

/** So long after it was last seen, an organization's account is of no use. */
const keptForSeconds = 60;

/** Nothing is wanted further ahead, unless the clock was set back since. */
function latestWant(now: Date): RawBuilder<unknown> {
  return sql`${now}::timestamptz + ${keptForSeconds} * interval '1 second'`;
}

/**
 * Who shares the slots of a provider, and what each has had of them: what lines are to `readProviderContention`, slots are here, so that one rule
 * (`organizationShare`) serves both.
 */
export async function readSlotContention(
  tx: Tx,
  { organizationId, provider, now }: SlotsOf,
): Promise<SlotContention> {
  const { rows } = await sql<{
    id: string;
    weight: number;
    used: number | null;
    seen_at: Date | null;
    wants: boolean;
  }>`
    select o.id, o.line_weight as weight, a.used, a.seen_at,
      coalesce(a.wants_until between ${now}::timestamptz and ${latestWant(now)}, false) as wants
    from (select ${organizationId}::uuid as id
          union select organization_id from slot_accounts
          where provider = ${provider} and seen_at > ${now}::timestamptz - ${keptForSeconds} * interval '1 second') c
    join organizations o on o.id = c.id
    left join slot_accounts a on a.provider = ${provider} and a.organization_id = o.id`.execute(prepared(tx));
  const used = usedSoFar(
    rows.map(({ weight, used: had, seen_at: seenAt }) => ({
      weight,
      account: had === null || seenAt === null ? null : { used: had, lines: 0, asOf: seenAt, seenAt },
    })),
    now,
  );
  const all = rows.map((row, at) => ({
    ...row,
    share: { inUse: 0, weight: row.weight, used: used[at] ?? 0 },
  }));
  const own = all.find(({ id }) => id === organizationId)?.share ?? { inUse: 0, weight: 1, used: 0 };
  const others = all.filter(({ id, wants }) => wants && id !== organizationId);
  return { own, others: others.map(({ share }) => share) };
}

/** Books slots that an organization took, and until when it is expected to take more: null where it wants none now. */
export async function saveSlotAccount(
  tx: Tx,
  of: SlotsOf,
  { own, taken, wantsUntil }: { own: OrganizationLines; taken: number; wantsUntil: Date | null },
): Promise<void> {
  const { provider, organizationId, now } = of;
  const used = own.used + (lineChargeSeconds * taken) / own.weight;
  // Where it has several campaigns, one that wants nothing does not speak for the others.
  const save = sql`
    with gone as (
      delete from slot_accounts where provider = ${provider}
        and seen_at < ${now}::timestamptz - ${2 * keptForSeconds} * interval '1 second')
    insert into slot_accounts (provider, organization_id, weight, used, seen_at, wants_until)
    values (${provider}, ${organizationId}, ${own.weight}, ${used}, ${now}, ${wantsUntil ?? now})
    on conflict (provider, organization_id) do update
    set weight = excluded.weight, used = excluded.used, seen_at = excluded.seen_at,
        wants_until = greatest(excluded.wants_until,
          case when slot_accounts.wants_until <= ${latestWant(now)} then slot_accounts.wants_until end)`;
  await deferred(save, tx);
}
