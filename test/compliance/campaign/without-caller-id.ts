import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import { callsLeftOf } from './judge.ts';
import { append, type Ledger } from './ledger.ts';
import type { ListedPerson } from './list.ts';

/** A person for whom the gate found no caller id. */
export interface FoundNone {
  atMs: number;
  /** The calls of each caller id, by number, that waiting direct calls held at that moment. No dial shows that they were taken. */
  held: ReadonlyMap<string, number>;
  /** How many people the same gate refused for another reason. A caller id had been chosen for each of them. */
  reserved: number;
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
  const notedUntil = new Map<string, Date>();
  const waiting = new Map<string, FoundNone[]>();
  return {
    async noteWaiting({ callId, atMs }) {
      const { organization_id: organizationId } = await db
        .selectFrom('calls')
        .select('organization_id')
        .where('id', '=', callId)
        .executeTakeFirstOrThrow();
      append(waiting, callId, { atMs, held: await countHeld(db, organizationId), reserved: 0 });
    },
    ofDirect: (callId) => waiting.get(callId) ?? [],
    async note({ organizationId, campaignId }) {
      const { rows } = await sql<{ phone_number: string; last_at: Date; reserved: number }>`
        select r.phone_number, f.last_at, f.reserved from (
          select recipient_id, last_reason, last_at,
            (count(*) filter (where last_reason <> 'no_caller_id') over (partition by last_at))::int as reserved
          from gate_refusals
          where organization_id = ${organizationId} and campaign_id = ${campaignId}
            and last_at > ${notedUntil.get(campaignId) ?? '-infinity'}) f
        join campaign_recipients r
          on r.organization_id = ${organizationId} and r.campaign_id = ${campaignId} and r.id = f.recipient_id
        where f.last_reason = 'no_caller_id' order by f.last_at`.execute(db);
      const held = await countHeld(db, organizationId);
      for (const { phone_number: phoneNumber, last_at: at, reserved } of rows) {
        append(noted, `${campaignId} ${phoneNumber}`, { atMs: at.getTime(), held, reserved });
        notedUntil.set(campaignId, at);
      }
    },
    ofRecipient: (campaignId, phoneNumber, atMs) =>
      noted.get(`${campaignId} ${phoneNumber}`)?.findLast((one) => one.atMs === atMs),
  };
}

/**
 * Whether every caller id of the person's country was stopped or used up at that moment: by its dials, those of the same gate too, by the calls that wait,
 * and by the people whom the gate refused.
 */
export function noneWasLeft(
  ledger: Ledger,
  person: ListedPerson,
  { atMs, held, reserved }: FoundNone,
): boolean {
  const since = ({ askedMs }: { askedMs: number }) => atMs >= askedMs;
  const left = (ledger.callerIds ?? []).map((one) =>
    Math.max(0, callsLeftOf(ledger, one, person, atMs, since) - (held.get(one.phoneNumber) ?? 0)),
  );
  return left.reduce((sum, calls) => sum + calls, 0) <= reserved;
}

/** By number of the caller id. Only direct calls that wait for a line hold one. */
async function countHeld(db: Db, organizationId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ phone_number: string; held: number }>`
    select c.phone_number, count(*)::int as held
    from calls q join caller_id_uses u on u.call_id = q.id join caller_ids c on c.id = u.caller_id
    -- Only calls that wait have a deadline, by which an index finds them.
    where q.queue_deadline_at is not null and q.phase = 'queued' and q.organization_id = ${organizationId}
    group by c.phone_number`.execute(db);
  return new Map(rows.map((row) => [row.phone_number, row.held]));
}
