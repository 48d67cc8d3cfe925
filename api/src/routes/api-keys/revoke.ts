import { apiKey, deleted, envelope, rolesFrom } from '@outdial/contracts';
import { findListedApiKey, inTransaction, revokeApiKey as revokeRow } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { apiKeyView } from './api-key-view.ts';

export const revokeApiKey = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/api-keys/{key_id}',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'The key stops working within a second. It remains in the list with its `revoked_at`. This cannot be undone.',
    tag: 'users and keys',
    rights: 'revoke',
    roles: rolesFrom('admin'),
    params: z.object({ key_id: z.string() }),
    response: envelope(apiKey),
  },
  async ({ organizationId, params }, { db, clock }) => {
    const key = { organizationId, id: resourceId(params.key_id, 'API key') };
    const row = await inTransaction(db, async (tx) => {
      await revokeRow(tx, { ...key, now: clock.now() });
      return findListedApiKey(tx, key);
    });
    if (row === null) throw notFound('API key');
    return deleted(apiKeyView(row));
  },
);
