import { noteChange } from '../audit/index.ts';
import type { Tx } from '../transaction.ts';
import { hashToken, newToken } from './token.ts';

/** Gives the token of a link that signs the user in once. */
export async function createSignInLink(
  tx: Tx,
  link: { organizationId: string; userId: string; now: Date; expiresAt: Date },
): Promise<string> {
  const token = newToken();
  await tx
    .insertInto('sign_in_links')
    .values({
      token_hash: hashToken(token),
      organization_id: link.organizationId,
      user_id: link.userId,
      created_at: link.now,
      expires_at: link.expiresAt,
    })
    .execute();
  noteChange({ type: 'sign_in_link', id: link.userId, after: { expires_at: link.expiresAt } });
  return token;
}
