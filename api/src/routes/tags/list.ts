import { createdPosition, cursorParameters, rolesFrom, tag, viewOf } from '@outdial/contracts';
import { byInstant, listTags as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';

export const listTags = defineList(
  {
    path: '/api/v1/tags',
    operationId: 'listTags',
    summary: 'List the tags of calls, newest first',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    query: cursorParameters(createdPosition),
    item: tag,
    rowBytesAtMost: 1024,
  },
  async ({ organizationId, page }, { db }) => ({
    rows: await listRows(db, { organizationId, page }),
    position: byInstant,
    view: viewOf(tag),
  }),
);
