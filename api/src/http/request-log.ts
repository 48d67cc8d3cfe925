import { randomUUID } from 'node:crypto';
import type { Logger } from '@outdial/runtime';
import type { Request, RequestHandler, Response } from 'express';
import type { Principal } from './principal.ts';

/** Allowed characters in ids from other systems. None can break out of a log line or a header. */
const saneRequestId = /^[\w.:-]{1,128}$/;

/** Fields that `mountRoutes` and `answerError` add to a request's log line. */
interface Noted {
  principal?: Principal;
  route?: string;
  error?: unknown;
}

/**
 * Assigns each request its id, which the answer repeats, and logs one line when it is over: our errors as `error`, refused requests as
 * `info`, others as `debug`. Logs neither headers (credentials) nor query strings (numbers).
 *
 * Not pino-http, whose child logger per request took a twelfth of the time of a read.
 */
export function requestLog(log: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const given = req.headers['x-request-id'];
    const id = typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID();
    res.setHeader('X-Request-Id', id);
    res.once('close', () => {
      const level = levelOf(res);
      if (log.isLevelEnabled(level)) {
        log[level](lineOf(req, res, { id, startedAt }), res.writableFinished ? 'request' : 'request cut');
      }
    });
    next();
  };
}

/** Enough for every path that exists. */
const pathLength = 256;

/** A segment of digits, such as a phone number without its plus sign or with a doubly encoded one. No id of ours matches. */
const numberSegment = /\/(?:\+|%(?:25){0,4}2B)?\d{7,15}(?=\/|$)/gi;

/**
 * The requested path. If its route takes a phone number, the pattern of the route instead, so that no form of the number is logged.
 * `maskLine` shortens other numbers with a plus sign.
 */
function pathOf({ originalUrl }: Request, route: string | undefined): string {
  if (route?.includes('{phone_number}') === true) return route;
  const end = originalUrl.indexOf('?');
  const path = originalUrl.slice(0, end === -1 ? pathLength : Math.min(end, pathLength));
  return path.replaceAll(numberSegment, '/{number}');
}

function levelOf(res: Response): 'error' | 'info' | 'debug' {
  if (res.statusCode >= 500 || res.locals['error'] !== undefined) return 'error';
  return res.statusCode >= 400 || !res.writableFinished ? 'info' : 'debug';
}

function lineOf(req: Request, res: Response, { id, startedAt }: { id: string; startedAt: number }): object {
  // `locals` is untyped; these names are ours.
  const { principal, route, error } = res.locals as Noted;
  return {
    request_id: id,
    ...(principal === undefined
      ? {}
      : { organization_id: principal.organizationId, user_id: principal.userId, role: principal.role }),
    req: { method: req.method, path: pathOf(req, route) },
    res: { status: res.statusCode },
    duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(error === undefined ? {} : { err: error }),
  };
}
