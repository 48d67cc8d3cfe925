import { noteChange } from '../audit/audit-scope.ts';
import type { Executor, Tx } from '../transaction.ts';
import { hashToken, newToken } from './token.ts';

export interface LinkMaker {
  userId: string;
  credential: { type: 'api_key' | 'token' | 'session'; id: string | null };
}

export interface NewSignInLink {
  organizationId: string;
  userId: string;
  /** Null for an operator, whose links stay valid until they expire. */
  madeBy: LinkMaker | null;
  now: Date;
  expiresAt: Date;
}

/** Returns the token of a link that signs the user in once. The link is void if `madeBy` loses the right to create it. */
export async function createSignInLink(tx: Tx, link: NewSignInLink): Promise<string> {
  const { organizationId, userId, madeBy } = link;
  const token = newToken();
  await tx
    .insertInto('sign_in_links')
    .values({
      token_hash: hashToken(token),
      organization_id: organizationId,
      user_id: userId,
      created_by: madeBy?.userId ?? null,
      api_key_id: madeBy === null ? null : await keyBehind(tx, organizationId, madeBy),
      created_at: link.now,
      expires_at: link.expiresAt,
    })
    .execute();
  noteChange({ type: 'sign_in_link', id: userId, after: { expires_at: link.expiresAt } });
  return token;
}

/** The API key of the creator. For a console session, the key that the session was signed in with. */
async function keyBehind(
  db: Executor,
  organizationId: string,
  { credential: { type, id } }: LinkMaker,
): Promise<string | null> {
  if (type === 'api_key') return id;
  if (type === 'token' || id === null) return null;
  const session = await db
    .selectFrom('console_sessions')
    .select('api_key_id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return session?.api_key_id ?? null;
}
