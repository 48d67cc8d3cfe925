import express, { type Request, type Response, type Router } from 'express';
import { type Caller, countErasures, forCaller, lostRights, runAudited } from '@outdial/db';
import { FailedCredentials, createKnowledgeTokens } from '@outdial/runtime';
import type { ApiDeps, RouteDeps } from '../deps.ts';
import { sendError } from './answer-error.ts';
import { auditOriginOf } from './audit.ts';
import type { Authenticate } from './authenticate.ts';
import { answerEnded, unlessEnded } from './caller-gone.ts';
import { BodyBudget, type BodyShare } from './body-budget.ts';
import { type Route, sent } from './define-route.ts';
import { largeBody, readJsonBody, smallBody } from './json-body.ts';
import { ForbiddenRoleError, UnauthorizedError, missingField } from './errors.ts';
import { LongAnswers } from './long-answers.ts';
import { OpenAnswers } from './open-answers.ts';
import { type Principal, requireRole } from './principal.ts';
import { discardUpload } from './receive-file.ts';
import { sendAnswer } from './send-json.ts';
import { slowDown } from './slow-down.ts';
import { StreamSlots } from './stream-slots.ts';
import { isForm } from './table-upload.ts';
import { type UploadedFile, uploadReader, readForm, requireForm, type UploadDefinition } from './upload.ts';
import type { Clock } from '@outdial/core';
import multer from 'multer';

/**
 * Serves the routes. Checks faults in a fixed order (docs/decisions/api.md): 401, 429, 403 for the role that every form of the operation
 * needs, 400, 413 and 415, 401 and 403 again if the body took a while, 403 for the role that this body needs, 422. The handler checks the rest (404, 403 for the organization, 409). So
 * the body of a caller without permission is not read.
 */
export function mountRoutes(routes: readonly Route[], world: ApiDeps, authenticate: Authenticate): Router {
  const deps: RouteDeps = { ...world, longAnswers: new LongAnswers(), streams: new StreamSlots() };
  const router = express.Router({ caseSensitive: true });
  const authenticateSearch = searchAuthenticator(authenticate, {
    clock: deps.clock,
    secret: deps.config.knowledgeTokenSecret ?? null,
  });
  const failed = new FailedCredentials({ freePerMinute: failuresPerMinute, log: deps.log });
  const open = new OpenAnswers({
    now: () => deps.clock.now(),
    erasures: (organizationIds) => countErasures(deps.db, organizationIds),
    log: deps.log,
  });
  const { jsonBodyLimitBytes } = deps.config;
  const budget = new BodyBudget({
    perOrganization: jsonBodyLimitBytes,
    together: jsonBodyLimitBytes * largestBodiesTogether,
  });
  for (const route of routes) {
    const { method, changesNothing } = route.definition;
    const isRead = method === 'get' || changesNothing === true;
    const readBody = bodyReader(route, deps);
    router[method](expressPath(route.definition.path), async (req, res) => {
      res.locals['route'] = route.definition.path;
      const judge = route.definition.searchToken === true ? authenticateSearch : authenticate;
      let principal = await slowedDown(failed, req, judge);
      const judgedAt = performance.now();
      res.locals['principal'] = principal;
      await deps.rateLimits?.take(principal, res);
      requireRole(principal, route.definition.roles);
      const share = budget.share(principal.organizationId);
      const { roles } = route.definition;
      const over = open.watch({ req, res, principal, authenticate: judge, roles, isRead });
      try {
        const read = await readBody(req, res, { principal, share });
        const answer = await orDiscard(read.file, deps, async () => {
          if (performance.now() - judgedAt > judgedForMs) principal = await slowedDown(failed, req, judge);
          requireRole(principal, route.definition.rolesFor?.(read.body) ?? route.definition.roles);
          res.locals['principal'] = principal;
          const incoming = {
            principal,
            body: read.body,
            file: read.file,
            req,
            res,
            ...(read.bytes && { bytes: read.bytes }),
          };
          const run = () => forCaller(callerOf(principal, res, isRead), () => route.run(incoming, deps));
          if (method === 'get' && route.definition.isAudited !== true) return unlessEnded(res, run());
          const origin = auditOriginOf(route.definition, { ...incoming, now: deps.clock.now() });
          const audited = runAudited(origin, run).catch((error: unknown) => {
            throw rightsError(error);
          });
          return isRead ? unlessEnded(res, audited) : audited;
        });
        if (answer !== sent) sendAnswer(res, answer, route.definition.versionOf);
      } finally {
        over();
        share.release();
      }
    });
  }
  refuseOtherMethods(router, routes);
  return router;
}

/** A statement of a read is canceled after this time. A few seconds, because lists are read in chunks. */
const readStatementMs = 5_000;

/** A read ends when its caller leaves. A change runs to its end, because its caller cannot know whether it was made. */
function callerOf({ organizationId }: Principal, res: Response, isRead: boolean): Caller {
  return isRead
    ? { organizationId, signal: answerEnded(res), statementMs: readStatementMs }
    : { organizationId, signal: null, statementMs: null };
}

/** Per address. Programs with an outdated key send more requests than people who mistype one. */
const failuresPerMinute = 200;

async function slowedDown(failed: FailedCredentials, req: Request, judge: Authenticate): Promise<Principal> {
  try {
    return await judge(req);
  } catch (error) {
    if (error instanceof UnauthorizedError) await slowDown(failed, req);
    throw error;
  }
}

/** A body that took longer was perhaps sent by someone who has lost the right to it. Together with the time for which a judgement is remembered less than a second. */
const judgedForMs = 100;

/** The answer to a change whose transaction found the rights of its caller lost. */
function rightsError(error: unknown): unknown {
  switch (lostRights(error)) {
    case 'credential':
      return new UnauthorizedError('The credential is no longer valid', { cause: error });
    case 'role':
      return new ForbiddenRoleError('The role of the credential no longer permits this operation');
    default:
      return error;
  }
}

/** A body of the largest size takes about five times its size until its answer is sent. */
const largestBodiesTogether = 2;

type BodyReader = (
  req: Request,
  res: Response,
  caller: { principal: Principal; share: BodyShare },
) => Promise<{ body: unknown; file: UploadedFile | undefined; bytes?: Buffer }>;

function bodyReader(route: Route, { db, files, config }: ApiDeps): BodyReader {
  const { upload, body, bodyBytesAtMost, largeBody: isLarge } = route.definition;
  if (upload?.inMemory === true) {
    const limitBytes = Math.min(config.uploadLimitBytes, config.jsonBodyLimitBytes);
    const limits = largeBody(config.jsonBodyLimitBytes);
    return async (req, res, { share }) =>
      upload.orJson === true && !isForm(req)
        ? { body: await readJsonBody(req, limits, share), file: undefined }
        : { ...(await readFormInMemory(upload, limitBytes, { req, res, share })), file: undefined };
  }
  if (upload !== undefined) {
    const readUpload = uploadReader(upload, config.uploadLimitBytes);
    const limits = smallBody(config.jsonBodyLimitBytes);
    return async (req, res, { principal: { organizationId }, share }) =>
      upload.optional === true && !isForm(req)
        ? { body: await readJsonBody(req, limits, share), file: undefined }
        : readUpload(req, res, { db, files, organizationId });
  }
  if (body === undefined) return async () => ({ body: undefined, file: undefined });
  const limits =
    isLarge === true
      ? largeBody(config.jsonBodyLimitBytes)
      : smallBody(config.jsonBodyLimitBytes, bodyBytesAtMost);
  return async (req, _res, { share }) => ({
    body: await readJsonBody(req, limits, share),
    file: undefined,
  });
}

/** Removes an upload at once if the request is refused. */
async function orDiscard(
  file: UploadedFile | undefined,
  deps: ApiDeps,
  run: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (file?.stored) await discardUpload(deps, file.stored.key);
    throw error;
  }
}

function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** OPTIONS and 405 (RFC 9110, sections 9.3.7 and 15.5.6) for the paths that exist. */
function refuseOtherMethods(router: Router, routes: readonly Route[]): void {
  for (const [path, ofPath] of Map.groupBy(routes, (route) => expressPath(route.definition.path))) {
    const methods = ofPath.map((route) => route.definition.method.toUpperCase());
    const possible = methods.toSorted().join(', ');
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    router.all(path, (req, res) => {
      res.set('Allow', allow);
      if (req.method === 'OPTIONS') {
        res.status(204).end();
        return;
      }
      sendError(res, {
        status: 405,
        body: {
          detail: `${req.method} is not supported here: this path supports ${possible}`,
          code: 'method_not_allowed',
        },
      });
    });
  }
}

/**
 * For the operation that voice runtimes may call. In addition to the two usual schemes, it accepts the token that a runtime gets with a
 * call. Such a token is valid for this operation only.
 */
function searchAuthenticator(
  authenticate: Authenticate,
  { clock, secret }: { clock: Clock; secret: string | null },
): Authenticate {
  if (secret === null) return authenticate;
  const tokens = createKnowledgeTokens(secret);

  return async function authenticateSearch(req) {
    const token = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1];
    const byKey = req.headers['x-api-key'] !== undefined;
    const scope = token === undefined || byKey ? null : await tokens.verify(token, clock.now());
    if (scope === null) return authenticate(req);
    const { organizationId, callId, knowledgeBaseIds } = scope;
    const credential = { type: 'token', id: null } as const;
    return { organizationId, userId: callId, role: 'viewer', credential, knowledgeBaseIds };
  };
}

/** Reads a form with one file into memory. Its bytes count as a large body. */
async function readFormInMemory(
  definition: UploadDefinition,
  limitBytes: number,
  { req, res, share }: { req: Request; res: Response; share: BodyShare },
): Promise<{ body: unknown; bytes: Buffer }> {
  requireForm(req, definition.field);
  const length = Number(req.headers['content-length'] ?? limitBytes);
  share.take(Math.min(Number.isFinite(length) ? length : limitBytes, limitBytes));
  await readForm({ req, res }, { field: definition.field, storage: multer.memoryStorage(), limitBytes });
  if (req.file === undefined) throw missingField(definition.field);
  // multer's object has no prototype, but schemas and tests expect one.
  return { body: { ...req.body }, bytes: req.file.buffer };
}
