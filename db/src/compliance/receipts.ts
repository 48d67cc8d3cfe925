import type { GateGrounds, Outcome } from '@outdial/core';
import { sql } from 'kysely';
import type { PersonCheckJson } from '../schema/compliance.ts';
import type { Executor } from '../transaction.ts';

/** The stored facts about the decision on a call. */
export interface ReceiptRecord {
  callId: string;
  agentId: string;
  campaignId: string | null;
  recipientId: string | null;
  attempt: number;
  /** Empty once the person has been erased. */
  phoneNumber: string;
  fromPhone: string | null;
  /** Of the organization's own, where it was called from one. */
  callerId: string | null;
  outcome: Outcome | null;
  /** The word of the provider, or of the engine where it ended a call that was never sent. */
  externalStatus: string | null;
  /** The instant of the gate; null for a direct call that has not passed it. */
  gatedAt: Date | null;
  slotAt: Date | null;
  consentId: string | null;
  /** Null for calls from before grounds were kept. */
  grounds: GateGrounds | null;
  personCheck: PersonCheckJson | null;
  /** When each scrub list was scrubbed that the gate went by; null if it needed none. */
  scrubCheck: Record<string, string | null> | null;
}

export async function findReceipt(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<ReceiptRecord | null> {
  const { rows } = await sql<ReceiptRecord>`
    select c.id as "callId", c.agent_id as "agentId", c.campaign_id as "campaignId", c.recipient_id as "recipientId", c.attempt,
      c.phone_number as "phoneNumber", c.from_phone as "fromPhone", c.caller_id as "callerId", c.outcome, c.external_status as "externalStatus", c.gated_at as "gatedAt", c.slot_at as "slotAt",
      c.consent_id as "consentId", g.said as grounds, c.person_check as "personCheck",
      c.scrub_check as "scrubCheck"
    from calls c left join gate_grounds g on g.id = c.grounds_id and g.organization_id = c.organization_id
    where c.organization_id = ${organizationId} and c.id = ${callId} and c.kind = 'phone_outbound'`.execute(
    db,
  );
  const [record] = rows;
  return record ? { ...record, personCheck: checkUnder(record.personCheck, record.grounds) } : null;
}

/**
 * The ledger of a person as a gate found it. Of somebody who had not been called yet under the caps that the grounds say, nothing was stored; if there
 * were no caps any more, an empty object.
 */
function checkUnder(check: PersonCheckJson | null, grounds: GateGrounds | null): PersonCheckJson | null {
  if (check !== null) return Object.keys(check).length === 0 ? null : check;
  const caps = grounds?.person_caps;
  if (!caps) return null;
  return {
    ...(caps.calls && { calls: caps.calls.map((cap) => ({ ...cap, made: 0 })) }),
    ...(caps.gap_seconds != null && { gap_seconds: caps.gap_seconds }),
    ...(caps.after_conversation_hours != null && { after_conversation_hours: caps.after_conversation_hours }),
  };
}

/** How often gates refused a recipient, and the last refusal whole. */
export interface RefusalRecord {
  counts: Record<string, number>;
  firstAt: Date;
  lastAt: Date;
  lastReason: string;
  lastGrounds: GateGrounds | null;
  lastPersonCheck: PersonCheckJson | null;
}

/** Null if no gate has refused the recipient. */
export async function findRefusals(
  db: Executor,
  { organizationId, recipientId }: { organizationId: string; recipientId: string },
): Promise<RefusalRecord | null> {
  const { rows } = await sql<RefusalRecord>`
    select f.counts, f.first_at as "firstAt", f.last_at as "lastAt", f.last_reason as "lastReason", g.said as "lastGrounds",
      f.last_person_check as "lastPersonCheck"
    from gate_refusals f left join gate_grounds g on g.id = f.last_grounds_id and g.organization_id = f.organization_id
    where f.organization_id = ${organizationId} and f.recipient_id = ${recipientId}`.execute(db);
  const [record] = rows;
  return record
    ? { ...record, lastPersonCheck: checkUnder(record.lastPersonCheck, record.lastGrounds) }
    : null;
}
