import type { Clock } from '@outdial/core';
import { type ApiKeyIdentity, type Db, findApiKey, hashApiKey, touchApiKey } from '@outdial/db';
import { UnauthorizedError } from './errors.ts';
import { ShortCache } from './short-cache.ts';
import type { Principal } from './principal.ts';

/** A key that was revoked, or whose user was disabled, is refused after this at the latest; a second is what callers are promised. */
const REMEMBER_MS = 800;
const TOUCH_EVERY_MS = 60_000;

/** `od_` and 256 random bits; what does not look like one is not looked up. */
const keyForm = /^od_[\w-]{20,100}$/;

export function hasKeyForm(text: string): boolean {
  return keyForm.test(text);
}

/**
 * Keys are found by their SHA-256. That needs no salt and no slow hash, since a key is 256 random bits and no password;
 * nor a comparison in constant time, since what an index compares is the hash, which tells nothing about a key.
 */
export function apiKeyVerifier({ db, clock }: { db: Db; clock: Clock }): (key: string) => Promise<Principal> {
  const cache = new ShortCache<ApiKeyIdentity | null>(REMEMBER_MS);

  return async function verify(key) {
    const now = clock.now();
    const hash = hashApiKey(key);
    const found = hasKeyForm(key)
      ? await cache.get(hash.toString('base64'), () => lookUp(db, hash, now))
      : null;
    if (found === null || !isGood(found, now)) {
      // The same words for every reason: a stranger learns nothing about keys that once were.
      throw new UnauthorizedError('The API key is not valid');
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
      everyMs: TOUCH_EVERY_MS,
    });
  }
  return found;
}

function isUseToBeNoted({ lastUsedAt }: ApiKeyIdentity, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= TOUCH_EVERY_MS;
}
