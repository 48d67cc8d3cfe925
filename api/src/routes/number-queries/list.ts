import { listNumberQueriesQuery, numberQuery, rolesFrom, viewOf } from '@outdial/contracts';
import { byInstant, listNumberQueries as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';

export const numberQueryView = viewOf(numberQuery);

export const listNumberQueries = defineList(
  {
    path: '/api/v1/number-queries',
    operationId: 'listNumberQueries',
    summary: 'List queries of reassigned numbers, newest first',
    description: 'Each has its date and its answer.',
    tag: 'consents',
    roles: rolesFrom('viewer'),
    query: listNumberQueriesQuery,
    item: numberQuery,
    rowBytesAtMost: 4 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => ({
    rows: await listRows(db, { organizationId, phoneNumber: query.phone_number, page }),
    position: byInstant,
    view: numberQueryView,
  }),
);
