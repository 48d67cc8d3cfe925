import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import { mayCallFrom } from './judge.ts';
import { append, type Ledger } from './ledger.ts';
import type { ListedPerson } from './list.ts';

/** The lease of a claim. */
export const leaseSeconds = 30;

/** A claim that got no caller id. */
export interface ClaimWithout {
  atMs: number;
  /**
   * The calls of each caller id, by number, that other claims held at that moment. A claim that is refused by its gate returns its call, so no dial
   * shows that it was taken.
   */
  held: ReadonlyMap<string, number>;
}

interface ClaimedAtOnce {
  organizationId: string;
  campaignId: string;
  claimIds: readonly string[];
}

export interface ClaimsWithoutCallerId {
  /** Examines the claims of one transaction, before there are others. */
  note(claimed: ClaimedAtOnce): Promise<void>;
  /** Examines a direct call that waits for a caller id. */
  noteWaiting(call: { callId: string; atMs: number }): Promise<void>;
  /** The instants at which a direct call found no caller id. */
  ofDirect(callId: string): readonly ClaimWithout[];
  /** The person's last claim at or before an instant, if its lease had not expired. */
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

/** Whether every caller id of the person's country was stopped or used up at that moment, by its dials and the calls that claims held. */
export function noneWasLeft(ledger: Ledger, person: ListedPerson, { atMs, held }: ClaimWithout): boolean {
  const since = ({ askedMs }: { askedMs: number }) => atMs >= askedMs;
  return !(ledger.callerIds ?? []).some((one) => {
    const callsPerDay = one.callsPerDay - (held.get(one.phoneNumber) ?? 0);
    return mayCallFrom(ledger, { ...one, callsPerDay }, person, atMs, since);
  });
}

/** Empty for an organization without caller ids. */
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

/** By number of the caller id. Only live claims and calls that wait for a line hold one. A leaked permit does not count. */
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
