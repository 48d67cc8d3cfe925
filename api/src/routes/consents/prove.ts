import { consentProof, envelope, got, rolesFrom } from '@outdial/contracts';
import { isE164, maskPhoneNumber } from '@outdial/core';
import { engineNow, findConsentProof, inTransaction, noteChange } from '@outdial/db';
import { consentProofView } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';

export const proveConsent = defineRoute(
  {
    method: 'get',
    path: '/api/v1/people/{phone_number}/consents',
    operationId: 'proveConsent',
    summary: 'Export the proof that a person could be called',
    description:
      'Returns every consent of one person with the text that was shown, its evidence, its revocation, and the calls that were based on it. `outdial consent proof` prints the same. Returns 404 if there is none.',
    tag: 'consents',
    roles: rolesFrom('manager'),
    params: z.object({
      phone_number: z.string().describe('The phone number in E.164 format. Encode the plus sign as %2B.'),
    }),
    response: envelope(consentProof),
    isAudited: true,
  },
  async ({ organizationId, params }, { db }) => {
    const phoneNumber = params.phone_number;
    if (!isE164(phoneNumber)) throw notFound('Person');
    const proof = await findConsentProof(db, { organizationId, phoneNumber });
    if (proof.consents.length === 0) throw notFound('Person');
    // Before anything is sent, so that every access is in the audit log.
    await inTransaction(db, async () => {
      noteChange({ type: 'person', id: maskPhoneNumber(phoneNumber) });
    });
    return got(consentProofView(proof, { phoneNumber, now: await engineNow(db) }));
  },
);
