import { type CodedError, ConflictError, losesSession, NotFoundError } from '@outdial/core';
import { CallerLeftError, ConnectionsBusyError, postgresCode, StatementTooLongError } from '@outdial/db';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { HttpError, ValidationError } from './errors.ts';

/** The last handler of the app. Turns every error into an answer of the contract, and hides internal details. */
export const answerError: ErrorRequestHandler = (error: unknown, req, res, _next) => {
  // No client is left to read an answer. The log has the request as cut.
  if (error instanceof CallerLeftError) return;
  if (res.headersSent) {
    res.locals['error'] = error;
    // The answer has begun, so end the connection to show that it is incomplete. Express would do the same, but print the raw error.
    req.socket.destroy();
    return;
  }
  const answer = answerFor(error);
  if (answer.status >= 500) res.locals['error'] = error;
  sendError(res, answer);
  if (!req.complete) res.once('finish', () => discardRest(req));
};

/** How long to read the rest of a refused body. */
const lingerMs = 5_000;

/** Reads on for a while: if the connection closed while the caller is still writing, the caller could lose the answer (RFC 9112, section 9.6). */
function discardRest(req: Request): void {
  req.resume();
  const timer = setTimeout(() => req.destroy(), lingerMs);
  timer.unref();
  req.once('close', () => clearTimeout(timer));
}

interface ErrorAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: object;
}

export function sendError(res: Response, answer: ErrorAnswer): void {
  res.status(answer.status);
  res.set({ ...answer.headers, 'Cache-Control': 'no-store' });
  res.json(answer.body);
}

function answerFor(error: unknown): ErrorAnswer {
  if (error instanceof ValidationError) {
    return { status: 422, body: { detail: error.entries, code: error.code } };
  }
  if (error instanceof HttpError) return { status: error.status, headers: error.headers, body: coded(error) };
  if (error instanceof NotFoundError) return { status: 404, body: coded(error) };
  if (error instanceof ConflictError) return { status: 409, body: coded(error) };
  if (error instanceof URIError) {
    return { status: 400, body: { detail: 'The path is invalid', code: 'malformed_path' } };
  }
  if (error instanceof StatementTooLongError) {
    return {
      status: 503,
      headers: { 'Retry-After': '5' },
      body: { detail: 'The request takes too long: ask for less', code: 'too_slow' },
    };
  }
  if (error instanceof ConnectionsBusyError) {
    return {
      status: 429,
      headers: { 'Retry-After': '1' },
      body: { detail: 'The organization has too many requests in progress', code: 'too_many_at_once' },
    };
  }
  if (isOutOfService(error)) {
    return {
      status: 503,
      headers: { 'Retry-After': '1' },
      body: { detail: 'The service is temporarily unavailable', code: 'unavailable' },
    };
  }
  return { status: 500, body: { detail: 'Internal error', code: 'internal_error' } };
}

function coded(error: CodedError): object {
  return { detail: error.publicMessage, code: error.code };
}

/**
 * Besides lost sessions: class 53 is "insufficient resources". Repeated conflicts (40001, 40P01) and timeouts (55P03, 57014) can be retried too:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const outOfServiceCode =
  /^(53\w{3}|40001|40P01|55P03|57014|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|EPIPE|ENOENT)$/;

/** Errors of node-postgres that have no code: of its pool, and of a client that is too slow to connect or has lost its connection. */
const withoutCode = [
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated',
  'is not queryable',
  'Query read timeout',
];

/** Whether the database was unreachable or too busy, as opposed to a bug. */
function isOutOfService(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    outOfServiceCode.test(postgresCode(error)) ||
    losesSession(postgresCode(error)) ||
    withoutCode.some((part) => error.message.includes(part))
  );
}
