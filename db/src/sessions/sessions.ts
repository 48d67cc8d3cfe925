import { hash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import type { Role } from '../schema/organizations.ts';
import { unlessReadOnly } from '../postgres/error-code.ts';
import type { Db, Executor, Tx } from '../transaction.ts';
import { lesserRole } from '../connect.ts';
import type { UserKey } from '../keys.ts';

/** 256 random bits. As with API keys, that needs no salt and no slow hash. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

export interface NewSession extends UserKey {
  role: Role;
  apiKeyId: string | null;
  /** The hash of the token that the browser has so far: of whichever user, its session ends. */
  replaces: Buffer | null;
  now: Date;
  expiresAt: Date;
}

/** The maximum number of sessions per user. People use a few browsers, but a program may sign in repeatedly. */
const sessionsOfAUser = 50;

/** Returns the token, which is not stored. Deletes the browser's earlier session, and the user's oldest sessions above the maximum. */
export async function createSession(tx: Tx, session: NewSession): Promise<string> {
  const token = newToken();
  const { organizationId, userId, now } = session;
  const { id } = await tx
    .insertInto('console_sessions')
    .values({
      token_hash: hashToken(token),
      organization_id: organizationId,
      user_id: userId,
      role: session.role,
      api_key_id: session.apiKeyId,
      created_at: now,
      last_seen_at: now,
      expires_at: session.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (session.replaces !== null) {
    await tx.deleteFrom('console_sessions').where('token_hash', '=', session.replaces).execute();
  }
  await sql`
    delete from console_sessions where id in (
      select id from console_sessions where organization_id = ${organizationId} and user_id = ${userId}
      order by created_at desc, id desc offset ${sessionsOfAUser})`.execute(tx);
  noteChange({ type: 'session', id, after: { user_id: userId, role: session.role } });
  return token;
}

/** The signed-in user. The caller compares the session's times with its clock. */
export interface SessionIdentity {
  id: string;
  organizationId: string;
  userId: string;
  role: Role;
  lastSeenAt: Date;
  expiresAt: Date;
  userDisabledAt: Date | null;
  /** Revocation and expiry of the API key that the session was signed in with. */
  keyRevokedAt: Date | null;
  keyExpiresAt: Date | null;
}

/** Authenticates, so the organization is part of the result. */
export async function findSession(db: Executor, token: string): Promise<SessionIdentity | null> {
  const row = await db
    .selectFrom('console_sessions as s')
    .innerJoin('users as u', (join) =>
      join.onRef('u.organization_id', '=', 's.organization_id').onRef('u.id', '=', 's.user_id'),
    )
    .leftJoin('api_keys as k', 'k.id', 's.api_key_id')
    .select([
      's.id',
      's.organization_id as organizationId',
      's.user_id as userId',
      's.role',
      'u.role as userRole',
      's.last_seen_at as lastSeenAt',
      's.expires_at as expiresAt',
      'u.disabled_at as userDisabledAt',
      'k.revoked_at as keyRevokedAt',
      'k.expires_at as keyExpiresAt',
    ])
    .where('s.token_hash', '=', hashToken(token))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { userRole, ...session } = row;
  return { ...session, role: lesserRole(session.role, userRole) };
}

/** Records the use of a session, unless another request has just done so. */
export async function touchSession(
  db: Executor,
  { organizationId, id, now, everyMs }: { organizationId: string; id: string; now: Date; everyMs: number },
): Promise<void> {
  await unlessReadOnly(
    db
      .updateTable('console_sessions')
      .set({ last_seen_at: now })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('last_seen_at', '<=', new Date(now.getTime() - everyMs))
      .execute(),
  );
}

export async function endSession(
  tx: Tx,
  { organizationId, sessionId }: { organizationId: string; sessionId: string },
): Promise<void> {
  await tx
    .deleteFrom('console_sessions')
    .where('organization_id', '=', organizationId)
    .where('id', '=', sessionId)
    .execute();
  noteChange({ type: 'session', id: sessionId });
}

/** Ends all sessions of a user. Also deletes sign-in links for the user, and links that the user created for others. */
export async function endSessionsOfUser(tx: Tx, { organizationId, userId }: UserKey): Promise<void> {
  await tx
    .deleteFrom('console_sessions')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
  await tx
    .deleteFrom('sign_in_links')
    .where('organization_id', '=', organizationId)
    .where((where) => where.or([where('user_id', '=', userId), where('created_by', '=', userId)]))
    .execute();
}

export async function forgetExpiredSessions(db: Db, limit: number): Promise<number> {
  let forgotten = 0;
  for (const table of ['console_sessions', 'sign_in_links'] as const) {
    const deleted = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where expires_at <= now() limit ${limit} for update skip locked))`.execute(
      db,
    );
    forgotten += Number(deleted.numAffectedRows ?? 0);
  }
  return forgotten;
}
