import { envelope, got, rolesFrom, user } from '@outdial/contracts';
import { findUserDetails } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { userView } from './user-view.ts';

export const readUser = defineRoute(
  {
    method: 'get',
    path: '/api/v1/users/{user_id}',
    operationId: 'readUser',
    summary: 'Read a user',
    tag: 'users and keys',
    roles: rolesFrom('admin'),
    params: z.object({ user_id: z.string() }),
    response: envelope(user),
  },
  async ({ organizationId, params }, { db }) => {
    const userId = resourceId(params.user_id, 'User');
    return got(userView(orNotFound(await findUserDetails(db, { organizationId, userId }), 'User')));
  },
);
