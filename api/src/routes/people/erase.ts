import { created, envelope, erasure, erasureBody, rolesFrom } from '@outdial/contracts';
import { engineNow, erasePerson as eraseIn, findErasure } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { notFound } from '../../http/resource-id.ts';
import { erasureView } from './erasures.ts';

const answer = envelope(erasure);

export const erasePerson = defineRoute(
  {
    method: 'post',
    path: '/api/v1/erasures',
    operationId: 'erasePerson',
    summary: 'Erase a person',
    description:
      'Deletes the data of the person behind a phone number: transcripts, recordings, prompt values, notes and the number itself, in calls, campaigns and lists. Counts remain. Recordings stored by carriers are deleted soon afterwards; the receipt shows when this is done. The receipt does not contain the number. Returns 409 while a call to the person is in progress or about to begin.',
    tag: 'people',
    roles: rolesFrom('admin'),
    body: erasureBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { body, principal, organizationId } = request;
    return once(deps, request, answer, async (tx) => {
      const erasureId = await eraseIn(tx, {
        organizationId,
        phoneNumber: body.phone_number,
        keepSuppressed: body.keep_suppressed,
        forgetsOptOut: body.forget_opt_out,
        requestedBy: principal.userId,
        now: await engineNow(tx),
      });
      const row = await findErasure(tx, { organizationId, erasureId });
      if (row === null) throw notFound('Erasure');
      return { kept: created(erasureView(row)) };
    });
  },
);
