import { apiKey, createdPosition, cursorParameters, rolesFrom } from '@outdial/contracts';
import { byInstant, listApiKeys as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { apiKeyView } from './api-key-view.ts';

export const listApiKeys = defineList(
  {
    path: '/api/v1/api-keys',
    operationId: 'listApiKeys',
    summary: 'List API keys, newest first',
    description: 'The keys themselves are not included, because they are not stored.',
    tag: 'users and keys',
    roles: rolesFrom('admin'),
    query: cursorParameters(createdPosition),
    item: apiKey,
    rowBytesAtMost: 8 * 1024,
  },
  async ({ organizationId, page }, { db }) => ({
    rows: await listRows(db, { organizationId, page }),
    position: byInstant,
    view: apiKeyView,
  }),
);
