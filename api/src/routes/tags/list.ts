import {
  createdPosition,
  cursorList,
  cursorListOf,
  cursorParameters,
  envelope,
  got,
  rolesFrom,
  tag,
} from '@outdial/contracts';
import { listTags as listRows } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { newestFirst } from '../../http/newest-first.ts';

export const listTags = defineRoute(
  {
    method: 'get',
    path: '/api/v1/tags',
    operationId: 'listTags',
    summary: "List the tags of the organization's calls, newest first",
    tag: 'calls',
    roles: rolesFrom('viewer'),
    query: cursorParameters(createdPosition),
    response: envelope(cursorList(tag)),
  },
  async ({ principal: { organizationId }, query }, { db }) => {
    const rows = await listRows(db, { organizationId, page: newestFirst(query) });
    return got(
      cursorListOf(rows, query.limit, {
        position: (row) => [row.row_instant, row.id],
        item: ({ id, name }) => ({ id, name }),
      }),
    );
  },
);
