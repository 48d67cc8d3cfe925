import type { Consent, ConsentProof } from '@outdial/contracts';
import type { ConsentRow, ProofOfPerson } from '@outdial/db';

export function consentView(row: ConsentRow): Consent {
  return {
    id: row.id,
    phone_number: row.phone_number,
    basis: row.basis,
    scope: row.scope,
    text_shown: row.text_shown,
    source: row.source,
    evidence_hash: row.evidence_hash,
    given_at: row.given_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    revocation_reason: row.revocation_reason,
    number_changed_at: row.number_changed_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    uses: row.uses,
    created_at: row.created_at.toISOString(),
  };
}

export function consentProofView(
  { consents, isComplete }: ProofOfPerson,
  { phoneNumber, now }: { phoneNumber: string; now: Date },
): ConsentProof {
  return {
    phone_number: phoneNumber,
    as_of: now.toISOString(),
    consents: consents.map(({ calls, ...consent }) => ({
      ...consentView(consent),
      calls: calls.map((call) => ({
        call_id: call.call_id,
        campaign_id: call.campaign_id,
        dialed_at: call.gated_at.toISOString(),
      })),
    })),
    complete: isComplete,
  };
}
