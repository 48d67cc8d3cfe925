import { listNumberChangesQuery, numberChange, rolesFrom } from '@outdial/contracts';
import { byInstant, listNumberChanges as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { numberChangeView } from './number-change-view.ts';

export const listNumberChanges = defineList(
  {
    path: '/api/v1/number-changes',
    operationId: 'listNumberChanges',
    summary: 'List ported and reassigned numbers, newest first',
    description:
      'Consents given before a change are not valid. `GET /consents` shows the time of the change as `number_changed_at`.',
    tag: 'consents',
    roles: rolesFrom('viewer'),
    query: listNumberChangesQuery,
    item: numberChange,
    rowBytesAtMost: 4 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => ({
    rows: await listRows(db, { organizationId, phoneNumber: query.phone_number, page }),
    position: byInstant,
    view: numberChangeView,
  }),
);
