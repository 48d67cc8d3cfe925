import { created, createUserBody, envelope, rolesFrom, user } from '@outdial/contracts';
import { createUser as insertUser, findUserDetails, noteChange } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { userView, withUserErrors } from './user-view.ts';

const answer = envelope(user);

export const createUser = defineRoute(
  {
    method: 'post',
    path: '/api/v1/users',
    operationId: 'createUser',
    summary: 'Create a user',
    description:
      "The user authenticates with an API key, or with a token that contains the user's id or email address.",
    tag: 'users and keys',
    rights: 'grant',
    roles: rolesFrom('admin'),
    body: createUserBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { body, organizationId } = request;
    return withUserErrors(() =>
      once(deps, request, answer, async (tx) => {
        const userId = await insertUser(tx, {
          organizationId,
          email: body.email,
          firstName: body.first_name,
          lastName: body.last_name,
          role: body.role,
        });
        const row = orNotFound(await findUserDetails(tx, { organizationId, userId }), 'User');
        noteChange({ type: 'user', id: userId, after: { role: row.role } });
        return { kept: created(userView(row)) };
      }),
    );
  },
);
