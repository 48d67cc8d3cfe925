import { callerId, deleted, envelope, rolesFrom } from '@outdial/contracts';
import {
  findCallerId,
  lockCallerIds,
  inTransaction,
  noteChange,
  removeCallerId as removeRow,
} from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { callerIdView } from './caller-id-view.ts';

export const removeCallerId = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/caller-ids/{caller_id}',
    operationId: 'removeCallerId',
    summary: 'Delete a caller id',
    description:
      "After the last confirmed caller id is deleted, calls use the agents' numbers again. To keep the counts of a number, retire it instead.",
    tag: 'caller ids',
    roles: rolesFrom('manager'),
    params: z.object({ caller_id: z.string() }),
    response: envelope(callerId),
  },
  async ({ organizationId, params }, { db }) => {
    const key = { organizationId, callerId: resourceId(params.caller_id, 'Caller id') };
    const row = await inTransaction(db, async (tx) => {
      await lockCallerIds(tx, organizationId);
      const known = orNotFound(await findCallerId(tx, key), 'Caller id');
      await removeRow(tx, key);
      noteChange({ type: 'caller_id', id: key.callerId, before: { phone_number: known.phone_number } });
      return known;
    });
    return deleted(callerIdView(row));
  },
);
