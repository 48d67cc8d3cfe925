import { endSession, findOrganizationDetails, findUserDetails, inTransaction, runAudited } from '@outdial/db';
import { FailedCredentials } from '@outdial/runtime';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { z } from 'zod';
import type { ApiDeps } from '../deps.ts';
import { apiKeyVerifier } from '../http/api-key.ts';
import type { Authenticate } from '../http/authenticate.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { UnauthorizedError, ValidationError } from '../http/errors.ts';
import { readJsonBody, smallBody } from '../http/json-body.ts';
import { requireOwnPage } from '../http/own-page.ts';
import type { Principal } from '../http/principal.ts';
import { clearSessionCookie, readSessionCookie } from '../http/session-cookie.ts';
import { slowDown } from '../http/slow-down.ts';
import { entriesOf } from '../http/validation.ts';
import { signInWithKey, signInWithLink } from './sign-in.ts';

const callbackPath = '/console/session';

/** Caches must not store answers that identify a user. */
const notKept: RequestHandler[] = [
  (_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  },
];

/** Per address. A person mistypes rarely; a program guesses often. */
const failuresPerMinute = 20;
const bodyBytes = 4_096;

const signInBody = z.union([
  z.strictObject({ api_key: z.string().trim().min(1).max(200) }),
  z.strictObject({ link: z.string().min(1).max(200) }),
]);

/** `/console/session`: read the session (GET), sign in (POST), sign out (DELETE). Only for the console, so not in `/openapi.json`. */
export function consoleSession(deps: ApiDeps, authenticate: Authenticate): Router {
  const { config, log } = deps;
  const router = express.Router({ caseSensitive: true });
  const verifyKey = apiKeyVerifier(deps);
  const failed = new FailedCredentials({ freePerMinute: failuresPerMinute, log });
  // Bodies of this size do not count.
  const budget = new BodyBudget({ perOrganization: bodyBytes, together: bodyBytes });

  router.get(callbackPath, ...notKept, async (req, res) => {
    res.json(await sessionAnswer(deps, authenticate, req));
  });

  router.post(callbackPath, ...notKept, async (req, res) => {
    requireOwnPage(req, config.publicUrl);
    const body = parseBody(await readJsonBody(req, smallBody(bodyBytes), budget.share('')));
    try {
      if ('api_key' in body) await signInWithKey(deps, await verifyKey(body.api_key), { req, res });
      else await signInWithLink(deps, body.link, { req, res });
    } catch (error) {
      if (error instanceof UnauthorizedError) await slowDown(failed, req);
      throw error;
    }
    res.status(204).end();
  });

  router.delete(callbackPath, ...notKept, async (req, res) => {
    requireOwnPage(req, config.publicUrl);
    const principal = await principalOf(authenticate, req);
    if (principal?.credential.type === 'session' && principal.credential.id !== null) {
      await signOut(deps, principal, { sessionId: principal.credential.id, ip: req.ip ?? null });
    }
    clearSessionCookie(res, config.publicUrl);
    res.status(204).end();
  });
  return router;
}

/** The signed-in user, and the other ways to sign in. */
export async function sessionAnswer(deps: ApiDeps, authenticate: Authenticate, req: Request) {
  const { oidc } = deps.config;
  return {
    data: readSessionCookie(req) === null ? null : await signedIn(deps, authenticate, req),
    sign_in: { oidc: oidc == null ? null : { name: oidc.name } },
  };
}

function parseBody(input: unknown): z.output<typeof signInBody> {
  const read = signInBody.safeParse(input);
  if (read.success) return read.data;
  throw new ValidationError(entriesOf('body', input, signInBody, read.error));
}

async function principalOf(authenticate: Authenticate, req: Request): Promise<Principal | null> {
  try {
    return await authenticate(req);
  } catch (error) {
    if (error instanceof UnauthorizedError) return null;
    throw error;
  }
}

/** Null if the session has ended. */
async function signedIn({ db }: ApiDeps, authenticate: Authenticate, req: Request) {
  const principal = await principalOf(authenticate, req);
  if (principal === null) return null;
  const { organizationId, userId, role } = principal;
  const [user, organization] = await Promise.all([
    findUserDetails(db, { organizationId, userId }),
    findOrganizationDetails(db, organizationId),
  ]);
  if (user === null || organization === null) return null;
  return {
    role,
    user: { id: userId, email: user.email, first_name: user.first_name, last_name: user.last_name },
    organization: { id: organizationId, name: organization.name, timezone: organization.timezone },
  };
}

function signOut(
  { db }: ApiDeps,
  { organizationId, userId }: Principal,
  { sessionId, ip }: { sessionId: string; ip: string | null },
): Promise<void> {
  return runAudited(
    {
      actor: { kind: 'user', userId, credentialType: 'session', credentialId: sessionId, ip },
      organizationId,
      action: 'signOut',
      target: { type: 'session', id: sessionId },
      fields: [],
    },
    () => inTransaction(db, (tx) => endSession(tx, { organizationId, sessionId })),
  );
}
