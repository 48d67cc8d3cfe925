import { created, createSignInLinkBody, envelope, rolesFrom, signInLink } from '@outdial/contracts';
import { createSignInLink as insertLink, findUserDetails, inTransaction } from '@outdial/db';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';

export const createSignInLink = defineRoute(
  {
    method: 'post',
    path: '/api/v1/users/{user_id}/sign-in-link',
    operationId: 'createSignInLink',
    summary: 'Invite a user to the console',
    description:
      'Returns a link that signs the user in to the console once. The link is shown only once. Send it to the user yourself; Outdial does not send email. The link stops working if its user or creator is disabled, if its creator is no longer an admin, or if the key that created it is revoked or expires.',
    tag: 'users and keys',
    rights: 'grant',
    roles: rolesFrom('admin'),
    params: z.object({ user_id: z.string() }),
    body: createSignInLinkBody,
    response: envelope(signInLink),
  },
  async ({ principal, params, body, req }, { db, clock, config }) => {
    const userId = resourceId(params.user_id, 'User');
    const { organizationId } = principal;
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + body.expires_in_minutes * 60_000);
    const token = await inTransaction(db, async (tx) => {
      orNotFound(await findUserDetails(tx, { organizationId, userId }), 'User');
      return insertLink(tx, { organizationId, userId, madeBy: principal, now, expiresAt });
    });
    // After the #, so that it does not reach servers or logs.
    const link = `${baseUrl(req, config)}/console/sign-in#link=${token}`;
    return created({ user_id: userId, link, expires_at: expiresAt.toISOString() });
  },
);
