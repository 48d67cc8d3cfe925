import { callerId, envelope, rolesFrom, updateCallerIdBody, updated } from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import {
  engineNow,
  findCallerId,
  lockCallerIds,
  inTransaction,
  noteChange,
  updateCallerId as updateRow,
  type CallerIdRow,
} from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { callerIdVersion, callerIdView, requireAgent } from './caller-id-view.ts';

export const updateCallerId = defineRoute(
  {
    method: 'put',
    path: '/api/v1/caller-ids/{caller_id}',
    operationId: 'updateCallerId',
    summary: 'Update a caller id, let it rest, or retire it',
    description:
      'Changes only the fields in the body. Once a rest or a retirement is confirmed, no more calls are placed from the number; calls in progress continue. Returns 409 `caller_id_retired` if the number was retired before, and `caller_id_pending` for the state of a number that the operator has not confirmed.',
    tag: 'caller ids',
    roles: rolesFrom('manager'),
    params: z.object({ caller_id: z.string() }),
    body: updateCallerIdBody,
    response: envelope(callerId),
    versionOf: callerIdVersion,
    errors: [409],
  },
  async ({ organizationId, params, body, ifMatch }, { db }) => {
    const key = { organizationId, callerId: resourceId(params.caller_id, 'Caller id') };
    const row = await inTransaction(db, async (tx) => {
      await lockCallerIds(tx, organizationId);
      const before = orNotFound(await findCallerId(tx, key), 'Caller id');
      await ifMatch(() => callerIdView(before));
      if (before.state === 'pending' && body.state !== undefined) {
        throw new ConflictError(
          'caller_id_pending',
          'The operator of the installation has not confirmed the caller id yet.',
        );
      }
      if (before.state === 'retired') {
        throw new ConflictError(
          'caller_id_retired',
          'The caller id was retired. To use it again, delete it and add it again.',
        );
      }
      await requireAgent(tx, organizationId, body.agent_id);
      await updateRow(tx, {
        ...key,
        change: { ...body, ...stateAfter(body) },
        now: await engineNow(tx),
      });
      const after = orNotFound(await findCallerId(tx, key), 'Caller id');
      noteChange({ type: 'caller_id', id: key.callerId, before: noted(before), after: noted(after) });
      return after;
    });
    return updated(callerIdView(row));
  },
);

/** A rest set by a user lasts until a user ends it. Changing only the reason changes nothing else. */
function stateAfter(body: z.infer<typeof updateCallerIdBody>) {
  const reason = body.state_reason ?? null;
  if (body.state !== undefined) return { state: body.state, state_reason: reason, resting_until: null };
  return {};
}

function noted({ state, state_reason, calls_per_day, calls_per_hour, warm_up_days, agent_id }: CallerIdRow) {
  return { state, state_reason, calls_per_day, calls_per_hour, warm_up_days, agent_id };
}
