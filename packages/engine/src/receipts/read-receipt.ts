import { engineNow, findConsent, findReceipt, findRefusals, findSuppression } from '@outdial/db';
import type { ConsentRow, Executor, ReceiptRecord, RefusalRecord, SuppressionRow } from '@outdial/db';
import { failedCondition, passedConditions, type JudgedCondition } from './judged-conditions.ts';

export interface Receipt {
  record: ReceiptRecord;
  /** For a call that passed no gate, only the condition that failed, if any. */
  conditions: JudgedCondition[];
  /** Why the call was never placed; null if it was placed or still waits. */
  refusedBy: string | null;
  /** The consent that the dial relied on. */
  consent: ConsentRow | null;
  /** The current entry of the suppression list. */
  suppression: SuppressionRow | null;
  /** Refusals of the recipient before and after this call. */
  refusals: RefusalRecord | null;
  asOf: Date;
}

/** Explains why a call was placed, from the records of its gate. A gate passes only if every condition holds, so every placed call met them. */
export async function readReceipt(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<Receipt | null> {
  const record = await findReceipt(db, { organizationId, callId });
  if (record === null) return null;
  const { consentId, recipientId, phoneNumber, grounds, personCheck, scrubCheck } = record;
  const refusedBy = record.gatedAt === null && record.outcome !== null ? record.externalStatus : null;
  const facts = {
    isOfCampaign: record.campaignId !== null,
    isDirect: record.campaignId === null,
    needsConsent: consentId !== null,
    needsScrub: scrubCheck !== null,
    hasCallingHours: grounds?.calling_policy !== 'none',
    hasPersonCaps: personCheck !== null,
    hasCallerId: record.callerId !== null,
  };
  return {
    record,
    conditions:
      record.gatedAt === null ? failedCondition(refusedBy) : passedConditions(facts, record.release),
    refusedBy,
    consent: consentId === null ? null : await findConsent(db, { organizationId, consentId }),
    suppression: phoneNumber === '' ? null : await findSuppression(db, { organizationId, phoneNumber }),
    refusals: recipientId === null ? null : await findRefusals(db, { organizationId, recipientId }),
    asOf: await engineNow(db),
  };
}
