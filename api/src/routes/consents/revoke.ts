import { consent, created, envelope, revokeConsentBody, rolesFrom } from '@outdial/contracts';
import { findConsent, noteChange, revokeConsent as revoke } from '@outdial/db';
import { consentView } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { notFound, orNotFound, resourceId } from '../../http/resource-id.ts';

const answer = envelope(consent);

export const revokeConsent = defineRoute(
  {
    method: 'post',
    path: '/api/v1/consents/{consent_id}/revoke',
    operationId: 'revokeConsent',
    summary: 'Revoke a consent',
    description:
      'Once this returns, no call based on the consent is placed. The entry remains as proof. To stop all calls to a person, use the suppression list.',
    tag: 'consents',
    roles: rolesFrom('member'),
    params: z.object({ consent_id: z.string() }),
    body: revokeConsentBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { organizationId, userId } = request.principal;
    const consentId = resourceId(request.params.consent_id, 'Consent');
    return once(deps, request, answer, async (tx) => {
      const reason = request.body.reason ?? null;
      const key = { organizationId, consentId };
      if (!(await revoke(tx, { ...key, reason, revokedBy: userId }))) throw notFound('Consent');
      const row = orNotFound(await findConsent(tx, key), 'Consent');
      noteChange({
        type: 'consent',
        id: consentId,
        after: { revoked_at: row.revoked_at, has_reason: reason !== null },
      });
      return { kept: created(consentView(row)) };
    });
  },
);
