import { createdPosition, cursorParameters, rolesFrom, user } from '@outdial/contracts';
import { byInstant, listUsers as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { userView } from './user-view.ts';

export const listUsers = defineList(
  {
    path: '/api/v1/users',
    operationId: 'listUsers',
    summary: 'List users, newest first',
    tag: 'users and keys',
    roles: rolesFrom('admin'),
    query: cursorParameters(createdPosition),
    item: user,
    rowBytesAtMost: 8 * 1024,
  },
  async ({ organizationId, page }, { db }) => ({
    rows: await listRows(db, { organizationId, page }),
    position: byInstant,
    view: userView,
  }),
);
