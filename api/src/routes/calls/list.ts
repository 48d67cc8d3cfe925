import { call, listCallsQuery, rolesFrom } from '@outdial/contracts';
import { byInstant, type CallRow, listCalls as listRows } from '@outdial/db';
import { baseUrl } from '../../http/base-url.ts';
import { defineList } from '../../http/define-list.ts';
import { callBytesAtMost, callView, callFilters } from './call-view.ts';

export const listCalls = defineList(
  {
    path: '/api/v1/calls',
    operationId: 'listCalls',
    summary: 'List calls, newest first',
    description: '`from` and `to` filter by the time of the call.',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    query: listCallsQuery,
    item: call,
    rowBytesAtMost: callBytesAtMost,
  },
  async ({ organizationId, query, page, req }, { db, config }) => {
    const base = baseUrl(req, config);
    return {
      rows: await listRows(db, { organizationId, filters: callFilters(query), page }),
      position: byInstant,
      view: (row: CallRow) => callView(row, base),
    };
  },
);
