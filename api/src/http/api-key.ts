import type { Clock } from '@outdial/core';
import { type ApiKeyIdentity, type Db, findApiKey, hashApiKey, touchApiKey } from '@outdial/db';
import { UnauthorizedError } from './errors.ts';
import { ShortCache } from './short-cache.ts';
import type { Principal } from './principal.ts';

/** Callers are promised that a revoked key, or the key of a disabled user, stops working within a second. */
const rememberMs = 800;
const touchEveryMs = 60_000;

/** `od_` and 256 random bits. Anything else is not looked up. */
const keyForm = /^od_[\w-]{20,100}$/;

export function hasKeyForm(text: string): boolean {
  return keyForm.test(text);
}

/**
 * Finds a key by its SHA-256. A key is 256 random bits, so it needs no salt and no slow hash. The index compares hashes, which reveal
 * nothing about a key, so the comparison need not take constant time.
 */
export function apiKeyVerifier({ db, clock }: { db: Db; clock: Clock }): (key: string) => Promise<Principal> {
  const cache = new ShortCache<ApiKeyIdentity | null>(rememberMs, clock);

  return async function verify(key) {
    const now = clock.now();
    const hash = hashApiKey(key);
    const found = hasKeyForm(key)
      ? await cache.get(hash.toString('base64'), () => lookUp(db, hash, now))
      : null;
    if (found === null || !isGood(found, now)) {
      // The same message for every reason, so that it does not reveal whether a key ever existed.
      throw new UnauthorizedError('The API key is invalid');
    }
    return {
      organizationId: found.organizationId,
      userId: found.userId,
      role: found.role,
      credential: { type: 'api_key', id: found.id },
    };
  };
}

function isGood({ revokedAt, expiresAt, userDisabledAt }: ApiKeyIdentity, now: Date): boolean {
  return revokedAt === null && userDisabledAt === null && (expiresAt === null || expiresAt > now);
}

async function lookUp(db: Db, hash: Buffer, now: Date): Promise<ApiKeyIdentity | null> {
  const found = await findApiKey(db, hash);
  if (found !== null && isGood(found, now) && isUseToBeNoted(found, now)) {
    await touchApiKey(db, {
      organizationId: found.organizationId,
      id: found.id,
      now,
      everyMs: touchEveryMs,
    });
  }
  return found;
}

function isUseToBeNoted({ lastUsedAt }: ApiKeyIdentity, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= touchEveryMs;
}
