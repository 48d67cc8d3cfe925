import { created, createdApiKey, envelope, rolesFrom, rotateApiKeyBody } from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import { findListedApiKey, rotateApiKey as rotateRow } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { notFound, orNotFound, resourceId } from '../../http/resource-id.ts';
import { apiKeyView } from './api-key-view.ts';
import { createdKeyAnswer } from './create.ts';

export const rotateApiKey = defineRoute(
  {
    method: 'post',
    path: '/api/v1/api-keys/{key_id}/rotate',
    operationId: 'rotateApiKey',
    summary: 'Rotate an API key',
    description:
      'Creates a key for the same user, with the same role and name, and shows it only once. The old key remains valid for `overlap_seconds`, by default a day. `meta.previous` shows when it expires.',
    tag: 'users and keys',
    rights: 'revoke',
    roles: rolesFrom('admin'),
    params: z.object({ key_id: z.string() }),
    body: rotateApiKeyBody,
    headers: idempotencyHeader,
    response: envelope(createdApiKey),
  },
  async (request, deps) => {
    const { organizationId } = request;
    const id = resourceId(request.params.key_id, 'API key');
    let key: string | null = null;
    const answer = await once(deps, request, createdKeyAnswer, async (tx) => {
      const result = await rotateRow(tx, {
        organizationId,
        id,
        overlapSeconds: request.body.overlap_seconds,
        now: deps.clock.now(),
      });
      if (result.kind === 'not_found') throw notFound('API key');
      if (result.kind === 'over') {
        throw new ConflictError('key_over', 'The API key was revoked or has expired');
      }
      const row = orNotFound(await findListedApiKey(tx, { organizationId, id: result.id }), 'API key');
      key = result.key;
      const previous = { id, expires_at: result.previousExpiresAt.toISOString() };
      return { kept: created({ ...apiKeyView(row), key: null }, { previous }) };
    });
    return { ...answer, data: { ...answer.data, key } };
  },
);
