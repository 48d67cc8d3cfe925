import { role, uuid } from '@outdial/contracts';
import type { Clock } from '@outdial/core';
import { type Db, findOrCreateUser, lesserRole, organizationExists, type TokenUserRow } from '@outdial/db';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import { z } from 'zod';
import { RetryLaterError, UnauthorizedError } from './errors.ts';
import { ShortCache } from './short-cache.ts';
import type { Principal } from './principal.ts';

export interface JwtConfig {
  /** `previous` also verifies tokens, so that a secret can be replaced before its tokens expire. */
  readonly keys:
    | { kind: 'secret'; secret: string; previous?: string | undefined }
    | { kind: 'jwks'; url: URL };
  /** The longest lifetime of a token, from issue to expiry. Default: a day. */
  readonly longestLifeSeconds?: number;
  readonly issuer: string;
  readonly audience: string;
}

/** Text that Postgres can store. */
const storableText = z.string().refine((text) => text.isWellFormed() && !text.includes('\u0000'));

/** Seconds since 1970 that fit into a date, up to the year 9999. */
const instant = z.number().min(0).max(253_402_300_799);

const claims = z.object({
  sub: storableText.min(1).max(320),
  org: uuid,
  role,
  name: storableText.max(400).optional(),
  jti: storableText.max(255).optional().catch(undefined),
  exp: instant,
  iat: instant.optional(),
  nbf: instant.optional(),
});

type Claims = z.output<typeof claims>;

// A shared secret only verifies HMAC and a published key never does, so that a public key cannot be used as a secret.
const secretAlgorithms = ['HS256', 'HS384', 'HS512'];
const publicAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

const clockToleranceSeconds = 5;
/** Callers are promised that the token of a disabled user stops working within a second. */
const rememberUserMs = 800;
const daySeconds = 86_400;
const askAgainSeconds = 5;

/**
 * Verifies a JWT: signature, issuer, audience, expiry (required), and the claims `sub`, `org`, `role`, `name`.
 *
 * The organization must exist. The user is the one of that organization whose id or e-mail is `sub`. An unknown user is created, because
 * `created_by` of calls and campaigns names a user; the issuer vouches for it. The role is the token's, but never above the role of the
 * user in the database.
 *
 * Refuses tokens of disabled users, tokens issued before the user's tokens were revoked, and tokens with too long a lifetime.
 */
export function tokenVerifier(deps: {
  db: Db;
  clock: Clock;
  jwt: JwtConfig | null;
}): (token: string) => Promise<Principal> {
  const { db, clock, jwt } = deps;
  const users = new ShortCache<TokenUserRow | null>(rememberUserMs, clock);
  const longestLifeSeconds = jwt?.longestLifeSeconds ?? daySeconds;
  const verifySignature = jwt === null ? null : signatureVerifier(jwt);

  return async function verify(token) {
    if (verifySignature === null) {
      throw refused('This installation does not accept tokens; use an API key');
    }
    const now = clock.now();
    const { sub, org, role: tokenRole, name, jti, ...times } = await readClaims(verifySignature, token, now);
    requireShortLife(times, now, longestLifeSeconds);
    const user = await users.get(JSON.stringify([org, sub, tokenRole]), () =>
      userOf(db, { sub, org, role: tokenRole, name }),
    );
    if (user === null) throw refused('The organization in the token does not exist');
    if (user.disabled_at !== null || isRevoked(user, times)) throw refused('The token is invalid');
    return {
      organizationId: org.toLowerCase(),
      userId: user.id,
      role: user.role_follows_token ? tokenRole : lesserRole(tokenRole, user.role),
      credential: {
        type: 'token',
        id: jti ?? null,
        issuedAt: times.iat === undefined ? undefined : new Date(times.iat * 1_000),
      },
    };
  };
}

const refused = (message: string, cause?: unknown) =>
  new UnauthorizedError(message, { badToken: true, cause });

type Times = Pick<Claims, 'exp' | 'iat'>;

/** A token without an issue time counts as issued now, which limits its remaining lifetime. */
function requireShortLife({ exp, iat }: Times, now: Date, longestSeconds: number): void {
  const nowSeconds = now.getTime() / 1_000;
  const isFromFuture = iat !== undefined && iat > nowSeconds + clockToleranceSeconds;
  if (isFromFuture || exp - (iat ?? nowSeconds) > longestSeconds + clockToleranceSeconds) {
    throw refused(`The token is valid for longer than ${longestSeconds} seconds`);
  }
}

/** If the user's tokens were revoked, a token must prove that it was issued later. */
function isRevoked({ tokens_not_before: notBefore }: TokenUserRow, { iat }: Times): boolean {
  return notBefore !== null && (iat === undefined || iat * 1_000 < notBefore.getTime());
}

type VerifySignature = (token: string, now: Date) => Promise<JWTPayload>;

function signatureVerifier({ keys, issuer, audience }: JwtConfig): VerifySignature {
  const options: JWTVerifyOptions = {
    issuer,
    audience,
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp', 'sub', 'org', 'role'],
  };
  if (keys.kind === 'secret') {
    const secret = new TextEncoder().encode(keys.secret);
    const previous = new TextEncoder().encode(keys.previous ?? '');
    const verify = async (token: string, key: Uint8Array, now: Date) =>
      (await jwtVerify(token, key, { ...options, algorithms: secretAlgorithms, currentDate: now })).payload;
    return async (token, now) => {
      try {
        return await verify(token, secret, now);
      } catch (error) {
        if (keys.previous === undefined || !(error instanceof errors.JWSSignatureVerificationFailed)) {
          throw error;
        }
        return verify(token, previous, now);
      }
    };
  }
  const keySet = createRemoteJWKSet(keys.url);
  return async (token, now) =>
    (await jwtVerify(token, keySet, { ...options, algorithms: publicAlgorithms, currentDate: now })).payload;
}

async function readClaims(verify: VerifySignature, token: string, now: Date): Promise<Claims> {
  let payload: JWTPayload;
  try {
    payload = await verify(token, now);
  } catch (error) {
    if (isAboutToken(error)) throw refused('The token is invalid', error);
    throw new RetryLaterError(
      503,
      'key_set_unavailable',
      'The keys for verifying tokens are temporarily unavailable',
      { retryAfterSeconds: askAgainSeconds, cause: error },
    );
  }
  const read = claims.safeParse(payload);
  if (read.success) return read.data;
  throw refused('A claim of the token is missing or invalid', read.error);
}

/** An unreachable or invalid key set is our fault, not the caller's. All other errors of jose are about the token. */
function isAboutToken(error: unknown): boolean {
  return error instanceof errors.JOSEError && !keySetTrouble.has(error.code);
}

/** https://github.com/panva/jose/tree/main/docs/util/errors; the generic one is an answer of the key set other than 200. */
const keySetTrouble = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']);

async function userOf(
  db: Db,
  { sub, org, role: tokenRole, name }: Pick<Claims, 'sub' | 'org' | 'role' | 'name'>,
): Promise<TokenUserRow | null> {
  if (!(await organizationExists(db, org))) return null;
  const [firstName = sub, ...rest] = (name ?? sub).trim().split(/\s+/);
  return findOrCreateUser(db, {
    organizationId: org,
    subject: sub,
    firstName,
    lastName: rest.join(' '),
    role: tokenRole,
  });
}
