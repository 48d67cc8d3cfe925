import { callerId, listCallerIdsQuery, rolesFrom } from '@outdial/contracts';
import { byInstant, listCallerIds as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { callerIdView } from './caller-id-view.ts';

export const listCallerIds = defineList(
  {
    path: '/api/v1/caller-ids',
    operationId: 'listCallerIds',
    summary: 'List caller ids, newest first',
    tag: 'caller ids',
    roles: rolesFrom('viewer'),
    query: listCallerIdsQuery,
    item: callerId,
    rowBytesAtMost: 4 * 1024,
  },
  async ({ organizationId, page }, { db }) => ({
    rows: await listRows(db, { organizationId, page }),
    position: byInstant,
    view: callerIdView,
  }),
);
