import { call, cursorList, cursorListOf, envelope, got, listCallsQuery, rolesFrom } from '@outdial/contracts';
import { listCalls as listRows } from '@outdial/db';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { newestFirst } from '../../http/newest-first.ts';
import { callFilters } from './call-filters.ts';
import { callView } from './call-view.ts';

export const listCalls = defineRoute(
  {
    method: 'get',
    path: '/api/v1/calls',
    operationId: 'listCalls',
    summary: "List the organization's calls, newest first",
    description: '`from` and `to` are about when calls were made.',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    query: listCallsQuery,
    response: envelope(cursorList(call)),
  },
  async ({ principal: { organizationId }, query, req }, { db, config }) => {
    const rows = await listRows(db, {
      organizationId,
      filters: callFilters(query),
      page: newestFirst(query),
    });
    const base = baseUrl(req, config);
    return got(
      cursorListOf(rows, query.limit, {
        position: (row) => [row.row_instant, row.id],
        item: (row) => callView(row, base),
      }),
    );
  },
);
