import type { Clock } from '@outdial/core';
import { type Db, findSession, type SessionIdentity, touchSession } from '@outdial/db';
import type { Request } from 'express';
import { apiKeyVerifier, hasKeyForm } from './api-key.ts';
import { UnauthorizedError } from './errors.ts';
import { requireOwnPage } from './own-page.ts';
import { readSessionCookie } from './session-cookie.ts';
import { type JwtConfig, tokenVerifier } from './token.ts';
import type { Principal } from './principal.ts';
import { storedCredential } from './stored-credential.ts';

export type Authenticate = (req: Request) => Promise<Principal>;

/**
 * Accepts both schemes of the interface, and the session of the console. If a request has both a key and a token, only the key counts, so
 * that a valid token cannot hide an invalid key. A session counts only without either, and only from the console's own page.
 */
export function authenticator(deps: {
  db: Db;
  clock: Clock;
  jwt: JwtConfig | null;
  publicUrl: string | null;
}): Authenticate {
  const verifyKey = apiKeyVerifier(deps);
  const verifyToken = tokenVerifier(deps);
  const verifySession = sessionVerifier(deps);

  return async function authenticate(req) {
    const key = req.headers['x-api-key'];
    if (typeof key === 'string') return verifyKey(bareKey(key));
    const token = bearerToken(req.headers.authorization);
    if (token !== null) {
      if (hasKeyForm(token)) throw new UnauthorizedError(keyElsewhere, { badToken: true });
      return verifyToken(token);
    }
    const session = readSessionCookie(req);
    if (session !== null) {
      requireOwnPage(req, deps.publicUrl);
      return verifySession(session);
    }
    if (keyIn(req.headers.authorization) || Object.values(req.headers).flat().some(isKey)) {
      throw new UnauthorizedError(keyElsewhere);
    }
    if (Object.values(req.query).flat().some(isKey)) throw new UnauthorizedError(keyInUrl);
    throw new UnauthorizedError('Send an API key as X-API-Key, or a token as Authorization: Bearer');
  };
}

const keyElsewhere = 'This looks like an API key: send it as X-API-Key';
const keyInUrl =
  'The URL contains an API key, which ends up in logs: revoke the key, and send a new one in the X-API-Key header';

function isKey(value: unknown): boolean {
  return typeof value === 'string' && hasKeyForm(value);
}

/** @throws UnauthorizedError if the header for keys has something else; its message names that */
function bareKey(text: string): string {
  const slip = keySlips.find(({ form }) => form.test(text));
  if (slip !== undefined) throw new UnauthorizedError(slip.message);
  return text;
}

/** Placeholders that callers send by mistake. */
const keySlips: ReadonlyArray<{ form: RegExp; message: string }> = [
  { form: /^$/, message: 'X-API-Key is empty: check that the variable with the key is set' },
  { form: /^\$|^<.*>$|…$/, message: 'X-API-Key contains a placeholder: replace it with the key' },
  { form: /^Bearer /i, message: 'X-API-Key should contain only the key, without Bearer' },
  { form: /^["']/, message: 'X-API-Key takes the key alone, without quotation marks' },
  {
    form: /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/,
    message: 'This looks like a token: send it as Authorization: Bearer',
  },
];

/** Whether a key was sent under a scheme other than Bearer, or without one. */
function keyIn(authorization: string | undefined): boolean {
  return (authorization ?? '').split(/\s+/).some(hasKeyForm);
}

/** The name of the scheme is case-insensitive (RFC 9110, section 11.1), its value a b64token (RFC 6750, section 2.1). */
function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([\w\-.~+/]+=*) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** A browser that was left open overnight must sign in again. */
const idleMs = 12 * 3_600_000;

function sessionVerifier({ db, clock }: { db: Db; clock: Clock }): (token: string) => Promise<Principal> {
  const verify = storedCredential<SessionIdentity>(clock, {
    type: 'session',
    isGood(session, now) {
      const { expiresAt, lastSeenAt, userDisabledAt, keyRevokedAt, keyExpiresAt } = session;
      if (userDisabledAt !== null || keyRevokedAt !== null) return false;
      if (keyExpiresAt !== null && keyExpiresAt <= now) return false;
      return expiresAt > now && now.getTime() - lastSeenAt.getTime() < idleMs;
    },
    usedAt: ({ lastSeenAt }) => lastSeenAt,
    touch: (use) => touchSession(db, use),
    refusal: 'The session has expired. Sign in again',
  });
  return (token) => verify(token, () => findSession(db, token));
}
