import { created, createApiKeyBody, envelope, createdApiKey, rolesFrom } from '@outdial/contracts';
import {
  createApiKey as insertKey,
  engineNow,
  findListedApiKey,
  findUserDetails,
  lesserRole,
} from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { fieldFault } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { notFound, orNotFound } from '../../http/resource-id.ts';
import { apiKeyView } from './api-key-view.ts';
import { z } from 'zod';

export const createApiKey = defineRoute(
  {
    method: 'post',
    path: '/api/v1/api-keys',
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description: 'The key is shown only in this response.',
    tag: 'users and keys',
    rights: 'grant',
    roles: rolesFrom('admin'),
    body: createApiKeyBody,
    headers: idempotencyHeader,
    response: envelope(createdApiKey),
    errors: [404],
  },
  async (request, deps) => {
    const { body, principal, organizationId } = request;
    let key: string | null = null;
    const answer = await once(deps, request, createdKeyAnswer, async (tx) => {
      const user = await findUserDetails(tx, { organizationId, userId: body.user_id ?? principal.userId });
      if (user === null) throw notFound('User');
      const role = body.role ?? user.role;
      if (lesserRole(role, user.role) !== role) {
        throw fieldFault(
          'role',
          `The role of a key cannot exceed the role of its user, which is ${user.role}`,
        );
      }
      if (body.expires_at != null && body.expires_at <= (await engineNow(tx))) {
        throw fieldFault('expires_at', 'expires_at should be in the future');
      }
      const made = await insertKey(tx, {
        organizationId,
        userId: user.id,
        name: body.name,
        role,
        expiresAt: body.expires_at ?? null,
      });
      const row = orNotFound(await findListedApiKey(tx, { organizationId, id: made.id }), 'API key');
      key = made.key;
      return { kept: created({ ...apiKeyView(row), key: null }) };
    });
    return { ...answer, data: { ...answer.data, key } };
  },
);

/** The answer that is stored for repeated requests has no key: only the first answer shows it. */
export const createdKeyAnswer = envelope(createdApiKey).extend({
  message: z.string(),
  meta: z.record(z.string(), z.unknown()),
  data: createdApiKey,
});
