import { type FailedCredentials, hasBasicAuth, type OpsCredentials } from '@outdial/runtime';
import type { RequestHandler } from 'express';
import { sendError } from './answer-error.ts';
import { slowDown } from './slow-down.ts';

/** HTTP Basic (RFC 7617) for operators. Without a configured credential, their pages do not exist. */
export function onlyOperators(expected: OpsCredentials | null, failed: FailedCredentials): RequestHandler {
  return async (req, res, next) => {
    if (expected === null) {
      next('router');
      return;
    }
    if (hasBasicAuth(req.headers.authorization, expected)) {
      next();
      return;
    }
    // A browser's first request has no credential, so this is not a guess.
    if (req.headers.authorization !== undefined) await slowDown(failed, req);
    sendError(res, {
      status: 401,
      headers: { 'WWW-Authenticate': 'Basic realm="outdial operations", charset="UTF-8"' },
      body: { detail: 'Operators sign in with OPS_USER and OPS_PASSWORD', code: 'unauthorized' },
    });
  };
}
