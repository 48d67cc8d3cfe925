import { lineChargeSeconds, type OrganizationLines, usedSoFar } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';

export interface SlotContention {
  own: OrganizationLines;
  /** The other organizations that are expected to take the next slots. */
  others: OrganizationLines[];
  /** The least use of another organization that asked recently; null if none did. */
  leastOfOthers: number | null;
}

/** Whether an organization is expected to take the next slots. */
export type Wants =
  | { kind: 'nothing' }
  /** One of many calls that ask separately does not change the expectation. */
  | { kind: 'as_before' }
  | { kind: 'until'; at: Date; keepsLater: boolean };

interface SlotsOf {
  organizationId: string;
  provider: string;
  /** Read after the provider's row was locked. */
  now: Date;
}

/** An account counts for this long after its organization was last seen. */
const accountsForSeconds = 60;

/** If an organization wants slots until later, the clock was set back. */
function latestWant(now: Date): RawBuilder<unknown> {
  return sql`${now}::timestamptz + ${accountsForSeconds} * interval '1 second'`;
}

/** The organizations that share the slots of a provider with a pace, and how many each has used. Like `readProviderContention` for lines. */
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
          where provider = ${provider} and seen_at > ${now}::timestamptz - ${accountsForSeconds} * interval '1 second') c
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
  const others = all.filter(({ id }) => id !== organizationId);
  return {
    own,
    others: others.filter(({ wants }) => wants).map(({ share }) => share),
    leastOfOthers: others.length === 0 ? null : Math.min(...others.map(({ share }) => share.used)),
  };
}

/** Records slots that an organization took, and whether it is expected to take more. */
export async function saveSlotAccount(
  tx: Tx,
  of: SlotsOf,
  { own, leastOfOthers, taken, wants }: Omit<SlotContention, 'others'> & { taken: number; wants: Wants },
): Promise<void> {
  const { provider, organizationId, now } = of;
  const had = own.used + (lineChargeSeconds * taken) / own.weight;
  // An organization cannot save up slots that it does not want now.
  const used = wants.kind === 'nothing' ? Math.max(had, leastOfOthers ?? 0) : had;
  const earlier = wants.kind === 'as_before' || (wants.kind === 'until' && wants.keepsLater);
  const wantsUntil = wants.kind === 'until' ? wants.at : now;
  const save = sql`
    with gone as (
      delete from slot_accounts where provider = ${provider}
        and seen_at < ${now}::timestamptz - ${2 * accountsForSeconds} * interval '1 second')
    insert into slot_accounts (provider, organization_id, weight, used, seen_at, wants_until)
    values (${provider}, ${organizationId}, ${own.weight}, ${used}, ${now}, ${wantsUntil})
    on conflict (provider, organization_id) do update
    set weight = excluded.weight, used = excluded.used, seen_at = excluded.seen_at,
        wants_until = greatest(excluded.wants_until,
          case when ${earlier} and slot_accounts.wants_until <= ${latestWant(now)} then slot_accounts.wants_until end)`;
  await deferred(save, tx);
}
