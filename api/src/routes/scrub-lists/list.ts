import { listScrubListsQuery, rolesFrom, scrubList } from '@outdial/contracts';
import { listScrubLists as listRows, type ScrubListRow } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { scrubListView } from './scrub-list-view.ts';

export const listScrubLists = defineList(
  {
    path: '/api/v1/scrub-lists',
    operationId: 'listScrubLists',
    summary: 'List scrub lists, newest first',
    description: 'With `phone_number`, only the lists that have the number.',
    tag: 'scrub lists',
    roles: rolesFrom('viewer'),
    query: listScrubListsQuery,
    item: scrubList,
    rowBytesAtMost: 4 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => ({
    rows: await listRows(db, { organizationId, phoneNumber: query.phone_number, page }),
    position: (row: ScrubListRow) => [row.row_instant, row.id],
    view: scrubListView,
  }),
);
