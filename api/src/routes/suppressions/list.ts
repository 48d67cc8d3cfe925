import { listSuppressionsQuery, rolesFrom, suppression } from '@outdial/contracts';
import { listSuppressions as listRows, type SuppressionRow } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { suppressionView } from './suppression-view.ts';

export const listSuppressions = defineList(
  {
    path: '/api/v1/suppressions',
    operationId: 'listSuppressions',
    summary: 'List suppressed numbers, newest first',
    tag: 'suppressions',
    roles: rolesFrom('viewer'),
    query: listSuppressionsQuery,
    item: suppression,
    rowBytesAtMost: 16 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => ({
    rows: await listRows(db, { organizationId, phoneNumber: query.phone_number, page }),
    position: (row: SuppressionRow) => [row.row_instant, row.phone_number],
    view: suppressionView,
  }),
);
