import { addCallerIdBody, callerId, created, envelope, rolesFrom } from '@outdial/contracts';
import { callerIdCountry, callerIdsAtMost, ConflictError } from '@outdial/core';
import {
  addCallerId as addRow,
  countCallerIds,
  findCallerId,
  hasCallerId,
  lockCallerIds,
  noteChange,
} from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { fieldFault } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { callerIdView, requireAgent } from './caller-id-view.ts';

const answer = envelope(callerId);

export const addCallerId = defineRoute(
  {
    method: 'post',
    path: '/api/v1/caller-ids',
    operationId: 'addCallerId',
    summary: 'Add a caller id',
    description:
      "The number is `pending` and unused until the operator of the installation has confirmed that it is yours. Once your organization has a confirmed caller id, all of its calls use its caller ids instead of the agents' numbers. Each call uses a caller id from the person's country that has calls left in the hour and the day. If there is none, recipients wait (`waiting_for: caller_id`). Returns 409 `caller_id_exists` if the number was already added, and `caller_id_taken` if it is not available to your organization.",
    tag: 'caller ids',
    roles: rolesFrom('manager'),
    body: addCallerIdBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { body, organizationId } = request;
    const country = callerIdCountry(body.phone_number);
    if (country === null) {
      throw fieldFault('phone_number', 'Input should be a phone number that belongs to a country');
    }
    return once(deps, request, answer, async (tx) => {
      await lockCallerIds(tx, organizationId);
      if ((await countCallerIds(tx, organizationId)) >= callerIdsAtMost) {
        throw new ConflictError(
          'quota_exceeded',
          `An organization can have at most ${callerIdsAtMost} caller ids.`,
        );
      }
      await requireAgent(tx, organizationId, body.agent_id);
      const id = await addRow(tx, {
        organizationId,
        callerId: { ...body, country },
      });
      if (id === null) {
        if (await hasCallerId(tx, { organizationId, phoneNumber: body.phone_number })) {
          throw new ConflictError('caller_id_exists', 'The organization already has this caller id.');
        }
        throw new ConflictError(
          'caller_id_taken',
          'The number cannot be added. If it is yours, ask the operator of the installation.',
        );
      }
      const row = orNotFound(await findCallerId(tx, { organizationId, callerId: id }), 'Caller id');
      const { phone_number, calls_per_day, calls_per_hour, attestation, agent_id } = row;
      noteChange({
        type: 'caller_id',
        id,
        after: { phone_number, calls_per_day, calls_per_hour, attestation, agent_id },
      });
      return { kept: created(callerIdView(row)) };
    });
  },
);
