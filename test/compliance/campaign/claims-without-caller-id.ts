import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import { mayCallFrom } from './judge.ts';
import { append, type Ledger } from './ledger.ts';
import type { ListedPerson } from './list.ts';

/** How long a claim is good. */
export const leaseSeconds = 30;

/** A claim that was given no caller id. */
export interface ClaimWithout {
  atMs: number;
  /** By number, the calls of caller ids that other claims held in that moment. A claim that its gate refuses gives them back, and no dial shows that they were taken. */
  held: ReadonlyMap<string, number>;
}

interface ClaimedAtOnce {
  organizationId: string;
  campaignId: string;
  claimIds: readonly string[];
}

export interface ClaimsWithoutCallerId {
  /** Looks at claims that were made in one transaction, before there are others. */
  note(claimed: ClaimedAtOnce): Promise<void>;
  /** Looks at a direct call that waits because no caller id was left for it. */
  noteWaiting(call: { callId: string; atMs: number }): Promise<void>;
  /** The moments in which a direct call found none. */
  ofDirect(callId: string): readonly ClaimWithout[];
  /** The last claim of somebody until an instant, if it was good still. */
  lastOf(campaignId: string, phoneNumber: string, atMs: number): ClaimWithout | undefined;
}

export function claimsWithoutCallerId(db: Db): ClaimsWithoutCallerId {
  const noted = new Map<string, ClaimWithout[]>();
  const waiting = new Map<string, ClaimWithout[]>();
  return {
    async noteWaiting({ callId, atMs }) {
      const { organization_id: organizationId } = await db
        .selectFrom('calls')
        .select('organization_id')
        .where('id', '=', callId)
        .executeTakeFirstOrThrow();
      append(waiting, callId, { atMs, held: await countHeld(db, organizationId) });
    },
    ofDirect: (callId) => waiting.get(callId) ?? [],
    async note(claimed) {
      const without = await findWithout(db, claimed);
      if (without.length === 0) return;
      const held = await countHeld(db, claimed.organizationId);
      for (const { phone_number: phoneNumber, lease_expires_at: until } of without) {
        const atMs = until.getTime() - leaseSeconds * 1000;
        append(noted, `${claimed.campaignId} ${phoneNumber}`, { atMs, held });
      }
    },
    lastOf: (campaignId, phoneNumber, atMs) =>
      noted
        .get(`${campaignId} ${phoneNumber}`)
        ?.findLast((one) => one.atMs <= atMs && atMs < one.atMs + leaseSeconds * 1000),
  };
}

/** Whether in that moment every caller id of the person's country was stopped or used up, by its dials and by the calls that claims held. */
export function noneWasLeft(ledger: Ledger, person: ListedPerson, { atMs, held }: ClaimWithout): boolean {
  const since = ({ askedMs }: { askedMs: number }) => atMs >= askedMs;
  return !(ledger.callerIds ?? []).some((one) => {
    const callsPerDay = one.callsPerDay - (held.get(one.phoneNumber) ?? 0);
    return mayCallFrom(ledger, { ...one, callsPerDay }, person, atMs, since);
  });
}

/** None of an organization that calls from no caller ids of its own. */
async function findWithout(
  db: Db,
  { organizationId, campaignId, claimIds }: ClaimedAtOnce,
): Promise<Array<{ phone_number: string; lease_expires_at: Date }>> {
  const { rows } = await sql<{ phone_number: string; lease_expires_at: Date }>`
    select r.phone_number, r.lease_expires_at from campaign_recipients r
    where r.state = 'claimed' and r.organization_id = ${organizationId} and r.campaign_id = ${campaignId}
      and r.claim_id = any(${claimIds}::uuid[])
      and exists (select from caller_ids c where c.organization_id = r.organization_id)
      and not exists (select from caller_id_uses u where u.claim_id = r.claim_id)`.execute(db);
  return rows;
}

/** By the number of the caller id. Only live claims and calls that wait for their line hold one: a permit that was not given back does not count. */
async function countHeld(db: Db, organizationId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ phone_number: string; held: number }>`
    select c.phone_number, count(*)::int as held
    from (
      select claim_id from campaign_recipients where state = 'claimed' and organization_id = ${organizationId}
      union all
      select id from calls where phase = 'queued' and organization_id = ${organizationId}) one
    join caller_id_uses u on u.claim_id = one.claim_id
    join caller_ids c on c.id = u.caller_id
    group by c.phone_number`.execute(db);
  return new Map(rows.map((row) => [row.phone_number, row.held]));
}
