import {
  type CallKey,
  engineNow,
  findConsent,
  findReceipt,
  findRefusals,
  findSuppression,
  type ConsentRow,
  type Executor,
  type ReceiptRecord,
  type RefusalRecord,
  type SuppressionRow,
  gateConditions,
  type GateFact,
  type GateReason,
} from '@outdial/db';
import type { GateRelease } from '@outdial/core';

export interface Receipt {
  record: ReceiptRecord;
  /** For a call that passed no gate, only the condition that failed, if any. */
  conditions: JudgedCondition[];
  /** Why the call was never placed; null if it was placed or still waits. */
  refusedBy: string | null;
  consent: ConsentRow | null;
  suppression: SuppressionRow | null;
  /** Refusals of the recipient before and after this call. */
  refusals: RefusalRecord | null;
  asOf: Date;
}

/** Explains why a call was placed, from the records of its gate. A gate passes only if every condition holds, so every placed call met them. */
export async function readReceipt(
  db: Executor,
  { organizationId, callId }: CallKey,
): Promise<Receipt | null> {
  const record = await findReceipt(db, { organizationId, callId });
  if (record === null) return null;
  const { consent_id: consentId, recipient_id: recipientId, phone_number: phoneNumber, grounds } = record;
  const refusedBy = record.gated_at === null && record.outcome !== null ? record.external_status : null;
  const facts = {
    isOfCampaign: record.campaign_id !== null,
    isDirect: record.campaign_id === null,
    needsConsent: consentId !== null,
    needsScrub: record.scrub_check !== null,
    hasCallingHours: grounds?.calling_policy !== 'none',
    hasPersonCaps: record.person_check !== null,
    hasCallerId: record.caller_id !== null,
  };
  return {
    record,
    conditions:
      record.gated_at === null ? failedCondition(refusedBy) : passedConditions(facts, record.release),
    refusedBy,
    consent: consentId === null ? null : await findConsent(db, { organizationId, consentId }),
    suppression: phoneNumber === '' ? null : await findSuppression(db, { organizationId, phoneNumber }),
    refusals: recipientId === null ? null : await findRefusals(db, { organizationId, recipientId }),
    asOf: await engineNow(db),
  };
}

/** `not_applicable`: the condition could not have refused this call. */
export type Verdict = 'holds' | 'fails' | 'not_applicable';

export interface JudgedCondition {
  condition: string;
  verdict: Verdict;
  text: string;
}

export function judgedConditions(
  facts: Record<GateFact, boolean>,
  holds: (reason: GateReason) => boolean,
): JudgedCondition[] {
  return gateConditions.map(({ reason, text, appliesIf }) => ({
    condition: reason,
    verdict: holds(reason) ? verdictOf(facts, appliesIf) : 'fails',
    text,
  }));
}

/** The conditions that a call passed, of the release whose gate decided; none if that is not known. */
export function passedConditions(
  facts: Record<GateFact, boolean>,
  release: GateRelease | null,
): JudgedCondition[] {
  const conditions = release?.conditions ?? [];
  return conditions.map(({ reason, text, applies_if: appliesIf }) => ({
    condition: reason,
    verdict: verdictOf(facts, appliesIf),
    text,
  }));
}

/** A condition of another release may depend on a fact that this one does not know; it held, since the call passed. */
function verdictOf(facts: Readonly<Record<string, boolean>>, appliesIf: string): Verdict {
  return facts[appliesIf] === false ? 'not_applicable' : 'holds';
}

/** The condition for which a gate refused the call finally. Empty if the call ended for another reason, such as a hang-up. */
export function failedCondition(refusedBy: string | null): JudgedCondition[] {
  return gateConditions
    .filter(({ reason }) => reason === refusedBy)
    .map(({ reason, text }) => ({ condition: reason, verdict: 'fails', text }));
}
