import {
  cursorList,
  cursorListOf,
  envelope,
  got,
  listSuppressionsQuery,
  rolesFrom,
  suppression,
} from '@outdial/contracts';
import { listSuppressions as listRows } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { newestFirst } from '../../http/newest-first.ts';
import { suppressionView } from './suppression-view.ts';

export const listSuppressions = defineRoute(
  {
    method: 'get',
    path: '/api/v1/suppressions',
    operationId: 'listSuppressions',
    summary: 'List the numbers that are never dialed, newest first',
    tag: 'suppressions',
    roles: rolesFrom('viewer'),
    query: listSuppressionsQuery,
    response: envelope(cursorList(suppression)),
  },
  async ({ principal: { organizationId }, query }, { db }) => {
    const rows = await listRows(db, {
      organizationId,
      phoneNumber: query.phone_number,
      page: newestFirst(query),
    });
    return got(
      cursorListOf(rows, query.limit, {
        position: (row) => [row.row_instant, row.phone_number],
        item: suppressionView,
      }),
    );
  },
);
