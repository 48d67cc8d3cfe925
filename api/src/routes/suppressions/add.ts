import { addSuppressionBody, created, envelope, rolesFrom, suppression } from '@outdial/contracts';
import { maskPhoneNumber } from '@outdial/core';
import { engineNow, findSuppression, noteChange, type SuppressionRow } from '@outdial/db';
import { faultOfEnd, suppressIn } from '@outdial/engine';
import { defineRoute } from '../../http/define-route.ts';
import { fieldFault, ForbiddenRoleError } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { suppressionView } from './suppression-view.ts';

const answer = envelope(suppression);

export const addSuppression = defineRoute(
  {
    method: 'post',
    path: '/api/v1/suppressions',
    operationId: 'addSuppression',
    summary: 'Add a number to the suppression list',
    description:
      "Once this returns, the number is not dialed any more, and a call to it that is waiting in a carrier's queue is withdrawn. A call in progress continues. Adding a number again replaces its reason, note and `expires_at`. Without `expires_at`, the suppression is permanent. Only a manager or an admin can shorten a suppression.",
    tag: 'suppressions',
    roles: rolesFrom('member'),
    body: addSuppressionBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { body } = request;
    const { organizationId, userId } = request.principal;
    return once(deps, request, answer, async (tx) => {
      const now = await engineNow(tx);
      const fault = faultOfEnd(body.expires_at, now);
      if (fault !== null) throw fieldFault('expires_at', fault);
      if (body.received_at != null && body.received_at > now) {
        throw fieldFault('received_at', 'received_at should not be in the future');
      }
      const phoneNumber = body.phone_number;
      const mayShorten = rolesFrom('manager').includes(request.principal.role);
      const before = await findSuppression(tx, { organizationId, phoneNumber });
      const { afterCommit } = await suppressIn(tx, deps, {
        organizationId,
        suppressions: [
          {
            phoneNumber,
            reason: body.reason ?? null,
            note: body.note ?? null,
            expiresAt: body.expires_at ?? null,
            asked: {
              channel: body.channel ?? body.source ?? 'api',
              words: body.words ?? null,
              receivedAt: body.received_at ?? null,
            },
          },
        ],
        origin: { source: body.source ?? 'api', createdBy: userId },
        known: mayShorten ? 'replace' : 'extend',
      });
      const row = orNotFound(await findSuppression(tx, { organizationId, phoneNumber }), 'Suppression');
      if (row.expires_at?.getTime() !== body.expires_at?.getTime()) {
        throw new ForbiddenRoleError(
          'The number is already suppressed for longer; only a manager or an admin can shorten that',
        );
      }
      noteChange({
        type: 'suppression',
        id: maskPhoneNumber(phoneNumber),
        before: before === null ? {} : noted(before),
        after: noted(row),
      });
      return { kept: created(suppressionView(row)), afterCommit };
    });
  },
);

/** Without the words about the person, which an erasure could not remove from the log. */
const noted = ({ reason, source, expires_at }: SuppressionRow) => ({
  has_reason: reason !== null,
  source,
  expires_at,
});
