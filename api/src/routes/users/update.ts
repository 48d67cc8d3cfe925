import { envelope, rolesFrom, updated, updateUserBody, user } from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import { inTransaction, updateUser as updateRow } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { userView, withUserErrors } from './user-view.ts';

export const updateUser = defineRoute(
  {
    method: 'put',
    path: '/api/v1/users/{user_id}',
    operationId: 'updateUser',
    summary: 'Update, disable or enable a user',
    description:
      'Changes only the fields in the body. A new role, or disabling the user, takes effect for keys and tokens within a second. Returns 409 if the organization would have no admin left.',
    tag: 'users and keys',
    rights: 'revoke',
    roles: rolesFrom('admin'),
    params: z.object({ user_id: z.string() }),
    body: updateUserBody,
    response: envelope(user),
    errors: [409],
  },
  async ({ organizationId, params, body, ifMatch }, { db, clock }) => {
    const userId = resourceId(params.user_id, 'User');
    const result = await withUserErrors(() =>
      inTransaction(db, (tx) =>
        updateRow(tx, {
          organizationId,
          userId,
          change: {
            email: body.email,
            firstName: body.first_name,
            lastName: body.last_name,
            role: body.role,
            disabled: body.disabled,
            revokeTokens: body.revoke_tokens,
          },
          now: clock.now(),
          precondition: (before) => ifMatch(() => userView(before)),
        }),
      ),
    );
    switch (result.kind) {
      case 'updated':
        return updated(userView(result.user));
      case 'not_found':
        throw notFound('User');
      case 'last_admin':
        throw new ConflictError('last_admin', 'The organization would have no admin left');
    }
  },
);
