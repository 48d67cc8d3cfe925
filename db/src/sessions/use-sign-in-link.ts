import type { Tx } from '../transaction.ts';
import type { SignInUser } from './find-sign-in-user.ts';
import { hashToken } from './token.ts';

/**
 * Deletes a sign-in link and returns its user. Null if the link is unknown, used or expired, if its user is disabled, or if its creator was disabled,
 * is no longer an admin, or used a key that was revoked or has expired. Of two concurrent uses, one succeeds.
 */
export async function useSignInLink(tx: Tx, token: string, now: Date): Promise<SignInUser | null> {
  const link = await tx
    .deleteFrom('sign_in_links')
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', now)
    .returning(['organization_id', 'user_id', 'created_by', 'api_key_id'])
    .executeTakeFirst();
  if (link === undefined) return null;
  const user = await tx
    .selectFrom('users')
    .select(['organization_id as organizationId', 'id as userId', 'role'])
    .where('organization_id', '=', link.organization_id)
    .where('id', '=', link.user_id)
    .where('disabled_at', 'is', null)
    .$if(link.created_by !== null, (query) =>
      query.where((where) =>
        where.exists(
          where
            .selectFrom('users as maker')
            .select('maker.id')
            .where('maker.organization_id', '=', link.organization_id)
            .where('maker.id', '=', link.created_by)
            .where('maker.role', '=', 'admin')
            .where('maker.disabled_at', 'is', null),
        ),
      ),
    )
    .$if(link.api_key_id !== null, (query) =>
      query.where((where) =>
        where.exists(
          where
            .selectFrom('api_keys as k')
            .select('k.id')
            .where('k.organization_id', '=', link.organization_id)
            .where('k.id', '=', link.api_key_id)
            .where('k.revoked_at', 'is', null)
            .where((key) => key.or([key('k.expires_at', 'is', null), key('k.expires_at', '>', now)])),
        ),
      ),
    )
    .executeTakeFirst();
  return user ?? null;
}
