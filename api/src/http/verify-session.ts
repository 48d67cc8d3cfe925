import type { Clock } from '@outdial/core';
import { type Db, findSession, type SessionIdentity, touchSession } from '@outdial/db';
import { UnauthorizedError } from './errors.ts';
import type { Principal } from './principal.ts';
import { ShortCache } from './short-cache.ts';

/** People are promised that an ended session stops working within a second. */
const rememberMs = 800;
const touchEveryMs = 60_000;
/** A browser that was left open overnight must sign in again. */
const idleMs = 12 * 3_600_000;

/** Finds the user of a session cookie's token. */
export function sessionVerifier({
  db,
  clock,
}: {
  db: Db;
  clock: Clock;
}): (token: string) => Promise<Principal> {
  const cache = new ShortCache<SessionIdentity | null>(rememberMs, clock);

  return async function verify(token) {
    const now = clock.now();
    const found = await cache.get(token, () => lookUp(db, token, now));
    if (found === null || !isGood(found, now)) {
      throw new UnauthorizedError('The session has expired. Sign in again');
    }
    return {
      organizationId: found.organizationId,
      userId: found.userId,
      role: found.role,
      credential: { type: 'session', id: found.id },
    };
  };
}

function isGood(session: SessionIdentity, now: Date): boolean {
  const { expiresAt, lastSeenAt, userDisabledAt, keyRevokedAt, keyExpiresAt } = session;
  if (userDisabledAt !== null || keyRevokedAt !== null) return false;
  if (keyExpiresAt !== null && keyExpiresAt <= now) return false;
  return expiresAt > now && now.getTime() - lastSeenAt.getTime() < idleMs;
}

async function lookUp(db: Db, token: string, now: Date): Promise<SessionIdentity | null> {
  const found = await findSession(db, token);
  if (found !== null && isGood(found, now) && now.getTime() - found.lastSeenAt.getTime() >= touchEveryMs) {
    const { organizationId, id } = found;
    await touchSession(db, { organizationId, id, now, everyMs: touchEveryMs });
  }
  return found;
}
