import { randomUUID } from 'node:crypto';
import type { Logger } from '@outdial/runtime';
import type { Request, RequestHandler, Response } from 'express';
import type { Principal } from './principal.ts';

/** The characters of ids from other systems, none of which can break out of a log line or a header. */
const saneRequestId = /^[\w.:-]{1,128}$/;

/** Fields that `mountRoutes` and `answerError` add to a request's log line. */
interface Noted {
  principal?: Principal;
  error?: unknown;
}

/**
 * Gives each request its id, which the answer repeats, and writes one line when it is over: errors of ours as `error`, refused
 * requests as `info`, the others as `debug`. Neither headers (credentials) nor query strings (numbers) are in it.
 *
 * By hand, since pino-http makes a child logger for every request, which took a twelfth of the time of a read.
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
const PATH_LENGTH = 256;

function pathOf({ originalUrl }: Request): string {
  const end = originalUrl.indexOf('?');
  return originalUrl.slice(0, end === -1 ? PATH_LENGTH : Math.min(end, PATH_LENGTH));
}

function levelOf(res: Response): 'error' | 'info' | 'debug' {
  if (res.statusCode >= 500 || res.locals['error'] !== undefined) {
    return 'error';
  }
  return res.statusCode >= 400 || !res.writableFinished ? 'info' : 'debug';
}

function lineOf(req: Request, res: Response, { id, startedAt }: { id: string; startedAt: number }): object {
  // `locals` holds anything; these two names are ours.
  const { principal, error } = res.locals as Noted;
  return {
    request_id: id,
    ...(principal === undefined
      ? {}
      : { organization_id: principal.organizationId, user_id: principal.userId, role: principal.role }),
    req: { method: req.method, path: pathOf(req) },
    res: { status: res.statusCode },
    duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(error === undefined ? {} : { err: error }),
  };
}
