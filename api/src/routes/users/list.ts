import {
  createdPosition,
  cursorList,
  cursorListOf,
  cursorParameters,
  envelope,
  got,
  rolesFrom,
  user,
} from '@outdial/contracts';
import { listUsers as listRows } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { newestFirst } from '../../http/newest-first.ts';
import { userView } from './user-view.ts';

export const listUsers = defineRoute(
  {
    method: 'get',
    path: '/api/v1/users',
    operationId: 'listUsers',
    summary: "List the organization's users, newest first",
    tag: 'users and keys',
    roles: rolesFrom('admin'),
    query: cursorParameters(createdPosition),
    response: envelope(cursorList(user)),
  },
  async ({ principal: { organizationId }, query }, { db }) => {
    const rows = await listRows(db, { organizationId, page: newestFirst(query) });
    return got(
      cursorListOf(rows, query.limit, { position: (row) => [row.row_instant, row.id], item: userView }),
    );
  },
);
