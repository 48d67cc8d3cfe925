import {
  apiKey,
  createdPosition,
  cursorList,
  cursorListOf,
  cursorParameters,
  envelope,
  got,
  rolesFrom,
} from '@outdial/contracts';
import { listApiKeys as listRows } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { newestFirst } from '../../http/newest-first.ts';
import { apiKeyView } from './api-key-view.ts';

export const listApiKeys = defineRoute(
  {
    method: 'get',
    path: '/api/v1/api-keys',
    operationId: 'listApiKeys',
    summary: "List the organization's API keys, newest first",
    description: 'The keys themselves are not kept.',
    tag: 'users and keys',
    roles: rolesFrom('admin'),
    query: cursorParameters(createdPosition),
    response: envelope(cursorList(apiKey)),
  },
  async ({ principal: { organizationId }, query }, { db }) => {
    const rows = await listRows(db, { organizationId, page: newestFirst(query) });
    return got(
      cursorListOf(rows, query.limit, { position: (row) => [row.row_instant, row.id], item: apiKeyView }),
    );
  },
);
