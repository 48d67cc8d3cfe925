import { listNumberQueriesQuery, numberQuery, type NumberQuery, rolesFrom } from '@outdial/contracts';
import { byInstant, listNumberQueries as listRows, type NumberQueryRow } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';

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

export function numberQueryView(row: NumberQueryRow): NumberQuery {
  return {
    id: row.id,
    phone_number: row.phone_number,
    queried_at: row.queried_at.toISOString(),
    answer: row.answer,
    since: row.since?.toISOString() ?? null,
    source: row.source,
    created_at: row.created_at.toISOString(),
  };
}
