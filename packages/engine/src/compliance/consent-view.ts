import { consent, type ConsentProof, viewOf } from '@outdial/contracts';
import type { ProofOfPerson } from '@outdial/db';

export const consentView = viewOf(consent);

export function consentProofView(
  { consents, isComplete }: ProofOfPerson,
  { phoneNumber, now }: { phoneNumber: string; now: Date },
): ConsentProof {
  return {
    phone_number: phoneNumber,
    as_of: now.toISOString(),
    consents: consents.map(({ calls, ...row }) => ({
      ...consentView(row),
      calls: calls.map((call) => ({
        call_id: call.call_id,
        campaign_id: call.campaign_id,
        dialed_at: call.gated_at.toISOString(),
      })),
    })),
    complete: isComplete,
  };
}
