import { timingSafeEqual } from 'node:crypto';
import { parseJson } from '@outdial/core';
import { findSignInUser } from '@outdial/db';
import { FailedCredentials, type Logger } from '@outdial/runtime';
import express, { type Request, type Response, type Router } from 'express';
import * as client from 'openid-client';
import { z } from 'zod';
import { baseUrl } from '../http/base-url.ts';
import { isSecure } from '../http/session-cookie.ts';
import { slowDown } from '../http/slow-down.ts';
import { type ClockFault, clockFaultOf } from './clock-fault.ts';
import type { OidcConfig } from './oidc-config.ts';
import { earlierSession, signIn, type SignInDeps } from './sign-in.ts';

const callbackPath = '/console/session/oidc';
const cookieName = 'outdial_oidc';
const flowMs = 10 * 60_000;
const timeoutSeconds = 10;
/** Per address. Each attempt is a request to the provider with our credential, which could get us blocked. */
const failuresPerMinute = 20;

/** The query with which the provider redirects the browser back. */
const flow = z.strictObject({
  state: z.string().max(200),
  nonce: z.string().max(200),
  verifier: z.string().max(200),
  /** The chosen one, if the address belongs to users of several organizations. */
  organization: z.uuid().optional(),
  /** The hash of the browser's session, whose cookie does not come with the redirect from the provider's site. */
  replaces: z.string().max(100).optional(),
});

/** The organizations in which a person with a verified address may sign in. */
const choice = z.strictObject({
  /** Only the sign-in page can read this. Otherwise a page of another origin could choose where the person signs in. */
  token: z.string().max(100),
  organizations: z.array(z.strictObject({ id: z.uuid(), name: z.string().max(255) })).max(10),
});

type Flow = z.output<typeof flow>;
type Refusal = 'no_user' | 'several_users' | 'not_verified' | 'clock' | 'unavailable' | 'other';

/**
 * Sign-in with an OpenID provider: the authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636, RFC 9700).
 * The provider verifies an e-mail address, and the user with this address is signed in. No users are created.
 */
export function oidcRoutes(deps: SignInDeps & { log: Pick<Logger, 'warn'> }, oidc: OidcConfig): Router {
  const { config, db, log } = deps;
  const router = express.Router({ caseSensitive: true });
  const discover = rememberedDiscovery(oidc);
  const failed = new FailedCredentials({ freePerMinute: failuresPerMinute, log });
  const redirectUri = (req: Request) => `${baseUrl(req, config)}${callbackPath}/callback`;
  // The redirect comes from the provider's site, so `Strict` would drop the cookie.
  const cookie = {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(config.publicUrl),
    path: callbackPath,
    maxAge: flowMs,
  } as const;

  const keep = (res: Response, value: Flow | z.output<typeof choice>) =>
    res.cookie(cookieName, Buffer.from(JSON.stringify(value)).toString('base64url'), cookie);

  router.get(callbackPath, async (req, res) => {
    try {
      const verifier = client.randomPKCECodeVerifier();
      const begun: Flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier,
        organization: chosenOrganization(req),
        replaces: earlierSession(req)?.toString('base64url'),
      };
      const address = client.buildAuthorizationUrl(await discover(), {
        redirect_uri: redirectUri(req),
        scope: 'openid email profile',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: begun.state,
        nonce: begun.nonce,
      });
      keep(res, begun);
      res.set('Cache-Control', 'no-store').redirect(303, address.href);
    } catch (error) {
      log.warn({ err: error }, 'the OpenID provider cannot be reached');
      refuse(res, 'unavailable');
    }
  });

  router.get(`${callbackPath}/callback`, async (req, res) => {
    const begun = readCookie(req, flow);
    res.clearCookie(cookieName, { path: callbackPath });
    res.set('Cache-Control', 'no-store');
    if (begun === null) return refuse(res, 'other');
    try {
      const address = new URL(redirectUri(req));
      address.search = new URL(req.originalUrl, address).search;
      const email = await askedEmail(await discover(), oidc, { address, begun });
      if (email === null) return refuse(res, 'not_verified');
      const organizationId = oidc.organizationId ?? begun.organization ?? null;
      const users = await findSignInUser(db, { email, organizationId });
      const [user] = users;
      if (user === undefined) return refuse(res, 'no_user');
      if (users.length > 1) {
        // Any organization may add this person's address, which must not lock the person out of other organizations.
        keep(res, {
          token: client.randomState(),
          organizations: users.map((one) => ({ id: one.organizationId, name: one.organization })),
        });
        return refuse(res, 'several_users');
      }
      const replaces = begun.replaces === undefined ? null : Buffer.from(begun.replaces, 'base64url');
      await signIn(deps, user, { req, res, how: { type: 'oidc', id: null }, replaces });
      res.redirect(303, '/console');
    } catch (error) {
      const clock = clockFaultOf(error);
      if (clock === null) log.warn({ err: error }, 'a sign-in with the OpenID provider failed');
      else log.warn(clock, `${clockText(clock)} Set both clocks by NTP.`);
      await slowDown(failed, req);
      refuse(res, clock === null ? 'other' : 'clock');
    }
  });

  router.get(`${callbackPath}/organizations`, (req, res) => {
    const { organizations, token } = readCookie(req, choice) ?? { organizations: [], token: '' };
    res.set('Cache-Control', 'no-store').json({ data: { items: organizations, token } });
  });
  return router;
}

/** The chosen organization of those offered to this browser. Without the token of the offer, the link is not from the sign-in page, so the person is asked. */
function chosenOrganization(req: Request): string | undefined {
  const offered = readCookie(req, choice);
  const token = choice.shape.token.safeParse(req.query['token']).data ?? '';
  if (offered === null || !isSame(token, offered.token)) return undefined;
  return offered.organizations.find(({ id }) => id === req.query['organization'])?.id;
}

function isSame(token: string, expected: string): boolean {
  const [given, wanted] = [Buffer.from(token), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The provider's metadata is read at the first sign-in, and again after a failure, so that the api starts without it. */
function rememberedDiscovery(oidc: OidcConfig): () => Promise<client.Configuration> {
  let known: Promise<client.Configuration> | undefined;
  return () => {
    known ??= client.discovery(
      oidc.issuer,
      oidc.clientId,
      oidc.clientSecret ?? undefined,
      oidc.clientSecret === null ? client.None() : undefined,
      {
        timeout: timeoutSeconds,
        // A configured http:// issuer is intended: on the same machine, or behind a proxy that terminates TLS.
        ...(oidc.issuer.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
      },
    );
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}

/** Null if the provider does not vouch for an address. */
async function askedEmail(
  provider: client.Configuration,
  oidc: OidcConfig,
  { address, begun }: { address: URL; begun: Flow },
): Promise<string | null> {
  const tokens = await client.authorizationCodeGrant(provider, address, {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
    idTokenExpected: true,
  });
  const idToken = tokens.claims();
  if (idToken === undefined) return null;
  const email = verifiedEmail(idToken, oidc);
  const isFinal = idToken['email'] !== undefined && idToken['email_verified'] !== undefined;
  if (email !== null || isFinal || provider.serverMetadata().userinfo_endpoint === undefined) return email;
  // Many providers do not put the address into the token.
  return verifiedEmail(await client.fetchUserInfo(provider, tokens.access_token, idToken.sub), oidc);
}

function clockText({ claim, aheadSeconds }: ClockFault): string {
  const direction = aheadSeconds > 0 ? 'ahead of' : 'behind';
  const token = claim === 'nbf' ? 'is not valid yet' : 'has expired';
  return `A new token of the OpenID provider ${token} (${claim}): the clock of this machine is at least ${Math.abs(aheadSeconds)} s ${direction} the provider's.`;
}

function readCookie<Value>(req: Request, schema: z.ZodType<Value>): Value | null {
  const value = /(?:^|;\s*)outdial_oidc=([\w-]{1,3900})(?:;|$)/.exec(req.headers.cookie ?? '')?.[1];
  if (value === undefined) return null;
  return schema.safeParse(parseJson(Buffer.from(value, 'base64url').toString())).data ?? null;
}

function refuse(res: Response, why: Refusal): void {
  res.redirect(303, `/console/sign-in?refused=${why}`);
}

const claims = z.object({
  email: z.string().min(3).max(320),
  /** Cognito and Apple send a word instead of a boolean; Entra sends nothing. */
  email_verified: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
    .optional(),
});

/**
 * The address in these claims, if the provider vouches for it: by saying that it is verified, or, where it says nothing, because the operator trusts
 * this issuer for the domain of the address. Null if it does not, and `false` is never overruled.
 */
function verifiedEmail(
  userClaims: unknown,
  { issuer, trustedFor }: Pick<OidcConfig, 'issuer' | 'trustedFor'>,
): string | null {
  const read = claims.safeParse(userClaims);
  if (!read.success) return null;
  const { email, email_verified } = read.data;
  if (email_verified !== undefined) return email_verified ? email : null;
  const [, domain, ...more] = email.toLowerCase().split('@');
  if (domain === undefined || more.length > 0 || trustedFor?.issuer.href !== issuer.href) return null;
  return trustedFor.domains.includes(domain) ? email : null;
}
