import express, { type Request, type Response, type Router } from 'express';
import { runAudited } from '@outdial/db';
import { FailedCredentials } from '@outdial/runtime';
import type { ApiDeps, RouteDeps } from '../deps.ts';
import { sendError } from './answer-error.ts';
import { auditOriginOf } from './audit.ts';
import type { Authenticate } from './authenticate.ts';
import { searchAuthenticator } from './authenticate-search.ts';
import { BodyBudget, type BodyShare } from './body-budget.ts';
import { type Route, sent } from './define-route.ts';
import { largeBody, readJsonBody, smallBody } from './json-body.ts';
import { UnauthorizedError } from './errors.ts';
import { LongAnswers } from './long-answers.ts';
import { readFormInMemory } from './memory-upload.ts';
import { type Principal, requireRole } from './principal.ts';
import { discardUpload } from './receive-file.ts';
import { sendAnswer } from './send-json.ts';
import { slowDown } from './slow-down.ts';
import { StreamSlots } from './stream-slots.ts';
import { isForm } from './table-upload.ts';
import { type UploadedFile, uploadReader } from './upload.ts';

/**
 * Serves the routes. Checks faults in a fixed order (docs/decisions/0080): 401, 429, 403 for the role that every form of the operation
 * needs, 400, 413 and 415, 403 for the role that this body needs, 422. The handler checks the rest (404, 403 for the organization, 409). So
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
  const { jsonBodyLimitBytes } = deps.config;
  const budget = new BodyBudget({
    perOrganization: jsonBodyLimitBytes,
    together: jsonBodyLimitBytes * largestBodiesTogether,
  });
  for (const route of routes) {
    const { method } = route.definition;
    const readBody = bodyReader(route, deps);
    router[method](expressPath(route.definition.path), async (req, res) => {
      res.locals['route'] = route.definition.path;
      const judge = route.definition.searchToken === true ? authenticateSearch : authenticate;
      const principal = await slowedDown(failed, req, judge);
      res.locals['principal'] = principal;
      await deps.rateLimits?.take(principal, res);
      requireRole(principal, route.definition.roles);
      const share = budget.share(principal.organizationId);
      try {
        const read = await readBody(req, res, { principal, share });
        requireRole(principal, route.definition.rolesFor?.(read.body) ?? route.definition.roles);
        const incoming = {
          principal,
          body: read.body,
          file: read.file,
          req,
          res,
          ...(read.bytes && { bytes: read.bytes }),
        };
        const run = () => runOrDiscard(route.run(incoming, deps), read.file, deps);
        const answer = await (method === 'get' && route.definition.isAudited !== true
          ? run()
          : runAudited(auditOriginOf(route.definition, incoming), run));
        if (answer !== sent) sendAnswer(res, answer, route.definition.versionOf);
      } finally {
        share.release();
      }
    });
  }
  refuseOtherMethods(router, routes);
  return router;
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

/** A body of the largest size takes about five times its size until its answer is sent. */
const largestBodiesTogether = 2;

interface ReadBody {
  body: unknown;
  file: UploadedFile | undefined;
  bytes?: Buffer;
}

type BodyReader = (
  req: Request,
  res: Response,
  caller: { principal: Principal; share: BodyShare },
) => Promise<ReadBody>;

function bodyReader(route: Route, { db, files, config }: ApiDeps): BodyReader {
  const { upload, body, largeBody: isLarge } = route.definition;
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
  const limits = (isLarge === true ? largeBody : smallBody)(config.jsonBodyLimitBytes);
  return async (req, _res, { share }) => ({
    body: await readJsonBody(req, limits, share),
    file: undefined,
  });
}

/** Removes an upload at once if the handler refuses it. */
async function runOrDiscard(
  answer: Promise<unknown>,
  file: UploadedFile | undefined,
  deps: ApiDeps,
): Promise<unknown> {
  try {
    return await answer;
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
