import { sql } from 'kysely';
import { locks } from '../locks.ts';
import { noteChange } from '../audit/audit-scope.ts';
import type { Executor, Tx } from '../transaction.ts';
import { hashToken, newToken } from './sessions.ts';
import type { Role } from '../schema/organizations.ts';
import type { UserKey } from '../keys.ts';

export interface LinkMaker {
  userId: string;
  credential: { type: 'api_key' | 'token' | 'session'; id: string | null };
}

export interface NewSignInLink extends UserKey {
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

export interface SignInUser extends UserKey {
  role: Role;
}

export interface NamedSignInUser extends SignInUser {
  organization: string;
}

/** The maximum number of users that fits into the cookie. */
const usersAtMost = 10;
const nameCharactersAtMost = 40;

/**
 * The enabled users with an e-mail address that an identity provider has verified, ignoring case: the ten that were added first. At most
 * one per organization, preferably the one with exactly this address. Otherwise an organization could lock out users of others with ten
 * spellings of their address.
 */
export function findSignInUser(
  db: Executor,
  { email, organizationId }: { email: string; organizationId: string | null },
): Promise<NamedSignInUser[]> {
  const one = db
    .selectFrom('users')
    .distinctOn('organization_id')
    .select(['organization_id', 'id', 'role', 'created_at'])
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .where('disabled_at', 'is', null)
    .$if(organizationId !== null, (query) => query.where('organization_id', '=', organizationId ?? ''))
    .orderBy('organization_id')
    .orderBy((eb) => eb('email', '=', email), 'desc')
    .orderBy('created_at')
    .orderBy('id');
  return db
    .selectFrom(one.as('one'))
    .innerJoin('organizations', 'organizations.id', 'one.organization_id')
    .select([
      'one.organization_id as organizationId',
      'one.id as userId',
      'one.role',
      sql<string>`left(organizations.name, ${nameCharactersAtMost})`.as('organization'),
    ])
    .orderBy('one.created_at')
    .orderBy('one.id')
    .limit(usersAtMost)
    .execute();
}

/** The user of a link, which may no longer be valid. Null if the link is unknown. */
export async function findUserOfLink(db: Executor, token: string): Promise<UserKey | null> {
  const link = await db
    .selectFrom('sign_in_links')
    .select(['organization_id as organizationId', 'user_id as userId'])
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst();
  return link ?? null;
}

/**
 * Deletes a sign-in link and returns its user. Null if the link is unknown, used or expired, if its user is disabled, or if its creator was disabled,
 * is no longer an admin, or used a key that was revoked or has expired. Of two concurrent uses, one succeeds.
 */
export async function useSignInLink(
  tx: Tx,
  { organizationId, token, now }: { organizationId: string; token: string; now: Date },
): Promise<SignInUser | null> {
  // First and apart: whoever takes rights away meanwhile would not see the session.
  await sql`select ${locks.rights.share(organizationId)}`.execute(tx);
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
