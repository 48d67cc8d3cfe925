import type { Role } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';
import { lesserRole } from '../lesser-role.ts';
import { hashToken } from './token.ts';

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
