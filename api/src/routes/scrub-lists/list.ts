import { listScrubListsQuery, rolesFrom, scrubList } from '@outdial/contracts';
import { byInstant, listScrubLists as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { scrubListView } from './scrub-list-view.ts';

export const listScrubLists = defineList(
  {
    path: '/api/v1/scrub-lists',
    operationId: 'listScrubLists',
    summary: 'List scrub lists, newest first',
    description: 'With `phone_number`, returns only the lists that contain the number.',
    tag: 'scrub lists',
    roles: rolesFrom('viewer'),
    query: listScrubListsQuery,
    item: scrubList,
    rowBytesAtMost: 4 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => ({
    rows: await listRows(db, { organizationId, phoneNumber: query.phone_number, page }),
    position: byInstant,
    view: scrubListView,
  }),
);
