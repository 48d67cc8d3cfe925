import { engineNow, findConsent, findReceipt, findRefusals, findSuppression } from '@outdial/db';
import type { ConsentRow, Executor, ReceiptRecord, RefusalRecord, SuppressionRow } from '@outdial/db';
import { judgedConditions, type JudgedCondition } from './judged-conditions.ts';

export interface Receipt {
  record: ReceiptRecord;
  /** Empty while nothing was decided. */
  conditions: JudgedCondition[];
  /** The consent that the dial relied on. */
  consent: ConsentRow | null;
  /** The list's entry of now. */
  suppression: SuppressionRow | null;
  /** Of the recipient, before and after this call. */
  refusals: RefusalRecord | null;
  asOf: Date;
}

/** Why a call was made, from what its gate has left. A gate opens only where every condition holds, so a dial says that each did. */
export async function readReceipt(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<Receipt | null> {
  const record = await findReceipt(db, { organizationId, callId });
  if (record === null) return null;
  const { consentId, recipientId, phoneNumber, grounds, personCheck } = record;
  const asked = {
    isOfCampaign: record.campaignId !== null,
    grounds,
    personCheck,
    needsConsent: consentId !== null,
    hasSlot: record.slotAt !== null,
    hasCallerId: record.callerId !== null,
  };
  return {
    record,
    conditions: record.gatedAt === null ? [] : judgedConditions(asked, () => true),
    consent: consentId === null ? null : await findConsent(db, { organizationId, consentId }),
    suppression: phoneNumber === '' ? null : await findSuppression(db, { organizationId, phoneNumber }),
    refusals: recipientId === null ? null : await findRefusals(db, { organizationId, recipientId }),
    asOf: await engineNow(db),
  };
}
