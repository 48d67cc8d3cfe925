import type { Clock } from '@outdial/core';
import type { ApiKeyIdentity, SessionIdentity } from '@outdial/db';
import { UnauthorizedError } from './errors.ts';
import type { Principal } from './principal.ts';
import { ShortCache } from './short-cache.ts';

/** Callers are promised that a revoked key, an ended session, or either of a disabled user stops working within a second. */
const rememberMs = 800;
const touchEveryMs = 60_000;

/** Verifies credentials that have a row, which also has the instant of their last use. */
export function storedCredential<Found extends ApiKeyIdentity | SessionIdentity>(
  clock: Clock,
  of: {
    type: 'api_key' | 'session';
    isGood: (found: Found, now: Date) => boolean;
    usedAt: (found: Found) => Date | null;
    touch: (use: { organizationId: string; id: string; now: Date; everyMs: number }) => Promise<void>;
    /** The same for every reason, so that it does not reveal whether the credential ever existed. */
    refusal: string;
  },
): (name: string, find: () => Promise<Found | null>) => Promise<Principal> {
  const cache = new ShortCache<Found | null>(rememberMs, clock);

  async function lookUp(find: () => Promise<Found | null>, now: Date): Promise<Found | null> {
    const found = await find();
    if (found === null || !of.isGood(found, now)) return found;
    const usedAt = of.usedAt(found);
    if (usedAt === null || now.getTime() - usedAt.getTime() >= touchEveryMs) {
      const { organizationId, id } = found;
      await of.touch({ organizationId, id, now, everyMs: touchEveryMs });
    }
    return found;
  }

  return async function verify(name, find) {
    const now = clock.now();
    const found = await cache.get(name, () => lookUp(find, now));
    if (found === null || !of.isGood(found, now)) throw new UnauthorizedError(of.refusal);
    const { organizationId, userId, role, id } = found;
    return { organizationId, userId, role, credential: { type: of.type, id } };
  };
}
