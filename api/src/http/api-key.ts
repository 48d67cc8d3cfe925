import type { Clock } from '@outdial/core';
import { type ApiKeyIdentity, type Db, findApiKey, hashApiKey, touchApiKey } from '@outdial/db';
import { UnauthorizedError } from './errors.ts';
import type { Principal } from './principal.ts';
import { storedCredential } from './stored-credential.ts';

/** `od_` and 256 random bits. Anything else is not looked up. */
const keyForm = /^od_[\w-]{20,100}$/;

export function hasKeyForm(text: string): boolean {
  return keyForm.test(text);
}

const refusal = 'The API key is invalid';

/**
 * Finds a key by its SHA-256. A key is 256 random bits, so it needs no salt and no slow hash. The index compares hashes, which reveal
 * nothing about a key, so the comparison need not take constant time.
 */
export function apiKeyVerifier({ db, clock }: { db: Db; clock: Clock }): (key: string) => Promise<Principal> {
  const verify = storedCredential<ApiKeyIdentity>(clock, {
    type: 'api_key',
    isGood: ({ revokedAt, expiresAt, userDisabledAt }, now) =>
      revokedAt === null && userDisabledAt === null && (expiresAt === null || expiresAt > now),
    usedAt: ({ lastUsedAt }) => lastUsedAt,
    touch: (use) => touchApiKey(db, use),
    refusal,
  });
  return async (key) => {
    if (!hasKeyForm(key)) throw new UnauthorizedError(refusal);
    const hash = hashApiKey(key);
    return verify(hash.toString('base64'), () => findApiKey(db, hash));
  };
}
