import { addConsentBody, consent, created, envelope, rolesFrom } from '@outdial/contracts';
import { maskPhoneNumber } from '@outdial/core';
import { addConsents, engineNow, findConsent, noteChange } from '@outdial/db';
import { consentView, judgeConsent } from '@outdial/engine';
import { defineRoute } from '../../http/define-route.ts';
import { fieldFault } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { orNotFound } from '../../http/resource-id.ts';

const answer = envelope(consent);

export const addConsent = defineRoute(
  {
    method: 'post',
    path: '/api/v1/consents',
    operationId: 'addConsent',
    summary: 'Record a consent to be called',
    description:
      "Entries are never changed. A consent ends when it expires (`expires_at`) or is revoked. Campaigns with `require_consent` dial only people with a consent that covers the campaign's `purpose`.",
    tag: 'consents',
    roles: rolesFrom('member'),
    body: addConsentBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { organizationId, userId } = request.principal;
    return once(deps, request, answer, async (tx) => {
      const judged = judgeConsent(request.body, await engineNow(tx));
      if ('field' in judged) throw fieldFault(judged.field, judged.msg);
      const [consentId = ''] = await addConsents(tx, {
        organizationId,
        createdBy: userId,
        consents: [judged],
      });
      const row = orNotFound(await findConsent(tx, { organizationId, consentId }), 'Consent');
      const after = {
        phone_number: maskPhoneNumber(row.phone_number),
        basis: row.basis,
        source: row.source,
      };
      noteChange({ type: 'consent', id: consentId, after });
      return { kept: created(consentView(row)) };
    });
  },
);
