import type { Tx } from '../transaction.ts';
import type { SignInUser } from './find-sign-in-user.ts';
import { hashToken } from './token.ts';

/** Whom a link signs in; null where it is unknown, used, expired, or its user disabled. It works once: two who use it at once are one. */
export async function useSignInLink(tx: Tx, token: string, now: Date): Promise<SignInUser | null> {
  const link = await tx
    .deleteFrom('sign_in_links')
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', now)
    .returning(['organization_id', 'user_id'])
    .executeTakeFirst();
  if (link === undefined) return null;
  const user = await tx
    .selectFrom('users')
    .select(['organization_id as organizationId', 'id as userId', 'role'])
    .where('organization_id', '=', link.organization_id)
    .where('id', '=', link.user_id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return user ?? null;
}
