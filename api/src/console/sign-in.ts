import {
  createSession,
  findUserOfLink,
  hashToken,
  inTransaction,
  runAudited,
  type SignInUser,
  type Tx,
  useSignInLink,
  type UserKey,
} from '@outdial/db';
import type { Request, Response } from 'express';
import type { ApiDeps } from '../deps.ts';
import { UnauthorizedError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { readSessionCookie, setSessionCookie } from '../http/session-cookie.ts';

/** Daily users of the console sign in about once a week. */
const lifeMs = 7 * 86_400_000;

export type SignInDeps = Pick<ApiDeps, 'db' | 'clock' | 'config'>;

type How = { type: 'api_key'; id: string } | { type: 'sign_in_link' | 'oidc'; id: null };

interface SignIn {
  req: Request;
  res: Response;
  how: How;
  /** The hash of the browser's session so far, which the new one ends. By default that of the request's cookie. */
  replaces?: Buffer | null;
}

export async function signInWithKey(
  deps: SignInDeps,
  principal: Principal,
  request: Omit<SignIn, 'how' | 'replaces'>,
): Promise<void> {
  const { id } = principal.credential;
  if (id === null) throw new UnauthorizedError('The API key is invalid');
  await signIn(deps, principal, { ...request, how: { type: 'api_key', id } });
}

/** Uses a link and signs its user in, in one transaction. @throws UnauthorizedError */
export async function signInWithLink(
  deps: SignInDeps,
  token: string,
  { req, res }: Omit<SignIn, 'how' | 'replaces'>,
): Promise<void> {
  const refused = () =>
    new UnauthorizedError('This link has been used, has expired or was revoked. Ask for a new one');
  const of = await findUserOfLink(deps.db, token);
  if (of === null) throw refused();
  const { organizationId } = of;
  await start(deps, of, { req, res, how: { type: 'sign_in_link', id: null } }, async (tx, now) => {
    const user = await useSignInLink(tx, { organizationId, token, now });
    if (user === null) throw refused();
    return user;
  });
}

/** Creates the session and sends its cookie. The audit log records the user, the method and the address. */
export async function signIn(deps: SignInDeps, user: SignInUser, request: SignIn): Promise<void> {
  await start(deps, user, request, () => Promise.resolve(user));
}

/** @param judge names the user of the session, in its transaction, or throws */
async function start(
  { db, clock, config }: SignInDeps,
  { userId, organizationId }: UserKey,
  { req, res, how, replaces = earlierSession(req) }: SignIn,
  judge: (tx: Tx, now: Date) => Promise<SignInUser>,
): Promise<void> {
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + lifeMs);
  const apiKeyId = how.type === 'api_key' ? how.id : null;
  const token = await runAudited(
    {
      actor: {
        kind: 'user',
        userId,
        credentialType: how.type,
        credentialId: how.id,
        ip: req.ip ?? null,
      },
      organizationId,
      action: 'signIn',
      target: { type: 'session', id: null },
      fields: [],
    },
    () =>
      inTransaction(db, async (tx) =>
        createSession(tx, { ...(await judge(tx, now)), apiKeyId, replaces, now, expiresAt }),
      ),
  );
  setSessionCookie(res, token, { expiresAt, publicUrl: config.publicUrl });
}

/** The hash of the session that the browser has, or null. */
export function earlierSession(req: Request): Buffer | null {
  const token = readSessionCookie(req);
  return token === null ? null : hashToken(token);
}
