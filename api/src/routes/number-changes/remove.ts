import { deleted, envelope, numberChange, rolesFrom } from '@outdial/contracts';
import { maskPhoneNumber } from '@outdial/core';
import { inTransaction, noteChange, removeNumberChange as removeRow } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { numberChangeView } from './number-change-view.ts';

export const removeNumberChange = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/number-changes/{change_id}',
    operationId: 'removeNumberChange',
    summary: 'Delete a number change that was recorded by mistake',
    description: 'Consents that were invalid only because of this change are valid again.',
    tag: 'consents',
    roles: rolesFrom('manager'),
    params: z.object({ change_id: z.string() }),
    response: envelope(numberChange),
  },
  async ({ organizationId, params }, { db }) => {
    const changeId = resourceId(params.change_id, 'Number change');
    const row = await inTransaction(db, async (tx) => {
      const removed = orNotFound(await removeRow(tx, { organizationId, changeId }), 'Number change');
      const { kind, changed_at, source } = removed;
      const before = { phone_number: maskPhoneNumber(removed.phone_number), kind, changed_at, source };
      noteChange({ type: 'number_change', id: changeId, before });
      return removed;
    });
    return deleted(numberChangeView(row));
  },
);
