import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import { mayCallFrom } from './judge.ts';
import { append, type Ledger } from './ledger.ts';
import type { ListedPerson } from './list.ts';

/** A person for whom the gate found no caller id. */
export interface FoundNone {
  atMs: number;
  /** The calls of each caller id, by number, that waiting direct calls held at that moment. No dial shows that they were taken. */
  held: ReadonlyMap<string, number>;
}

/** For the checker, because no dial shows when a gate found no caller id. */
export interface WithoutCallerId {
  /** Examines the refusals of a campaign since the last time. */
  note(campaign: { organizationId: string; campaignId: string }): Promise<void>;
  /** Examines a direct call that waits for a caller id. */
  noteWaiting(call: { callId: string; atMs: number }): Promise<void>;
  /** The instants at which a direct call found no caller id. */
  ofDirect(callId: string): readonly FoundNone[];
  /** The refusal of a recipient at an instant. */
  ofRecipient(campaignId: string, phoneNumber: string, atMs: number): FoundNone | undefined;
}

export function withoutCallerId(db: Db): WithoutCallerId {
  const noted = new Map<string, FoundNone[]>();
  const waiting = new Map<string, FoundNone[]>();
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
    async note({ organizationId, campaignId }) {
      const { rows } = await sql<{ phone_number: string; last_at: Date }>`
        select r.phone_number, f.last_at from gate_refusals f join campaign_recipients r on r.id = f.recipient_id
        where f.organization_id = ${organizationId} and f.campaign_id = ${campaignId} and f.last_reason = 'no_caller_id'`.execute(
        db,
      );
      const held = await countHeld(db, organizationId);
      for (const { phone_number: phoneNumber, last_at: at } of rows) {
        const key = `${campaignId} ${phoneNumber}`;
        const atMs = at.getTime();
        if (noted.get(key)?.at(-1)?.atMs !== atMs) append(noted, key, { atMs, held });
      }
    },
    ofRecipient: (campaignId, phoneNumber, atMs) =>
      noted.get(`${campaignId} ${phoneNumber}`)?.findLast((one) => one.atMs === atMs),
  };
}

/** Whether every caller id of the person's country was stopped or used up at that moment, by its dials and the calls that wait. */
export function noneWasLeft(ledger: Ledger, person: ListedPerson, { atMs, held }: FoundNone): boolean {
  const since = ({ askedMs }: { askedMs: number }) => atMs >= askedMs;
  return !(ledger.callerIds ?? []).some((one) => {
    const callsPerDay = one.callsPerDay - (held.get(one.phoneNumber) ?? 0);
    return mayCallFrom(ledger, { ...one, callsPerDay }, person, atMs, since);
  });
}

/** By number of the caller id. Only direct calls that wait for a line hold one. */
async function countHeld(db: Db, organizationId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ phone_number: string; held: number }>`
    select c.phone_number, count(*)::int as held
    from calls q join caller_id_uses u on u.call_id = q.id join caller_ids c on c.id = u.caller_id
    where q.phase = 'queued' and q.organization_id = ${organizationId}
    group by c.phone_number`.execute(db);
  return new Map(rows.map((row) => [row.phone_number, row.held]));
}
