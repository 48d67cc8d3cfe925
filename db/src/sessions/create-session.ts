import { sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import type { Role } from '../schema/organizations.ts';
import type { Tx } from '../transaction.ts';
import { hashToken, newToken } from './token.ts';

export interface NewSession {
  organizationId: string;
  userId: string;
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
