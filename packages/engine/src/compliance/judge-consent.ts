import type { AddConsentBody, LineFault } from '@outdial/contracts';
import type { NewConsent } from '@outdial/db';

/** Accepts a consent that is valid at `now`. */
export function judgeConsent(body: AddConsentBody, now: Date): NewConsent | LineFault {
  const expiresAt = body.expires_at ?? null;
  if (body.given_at > now) return { field: 'given_at', msg: 'given_at should not be in the future' };
  if (expiresAt !== null && expiresAt <= now) {
    return { field: 'expires_at', msg: 'The consent has expired: expires_at should be in the future' };
  }
  return {
    phoneNumber: body.phone_number,
    basis: body.basis,
    scope: body.scope ?? null,
    textShown: body.text_shown ?? null,
    source: body.source,
    evidenceHash: body.evidence_hash ?? null,
    givenAt: body.given_at,
    expiresAt,
  };
}
