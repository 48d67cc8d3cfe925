import { hasBasicAuth, type OpsCredentials } from '@outdial/runtime';
import type { RequestHandler } from 'express';
import { sendError } from './answer-error.ts';

/** HTTP Basic (RFC 7617) for operators. Without a credential in the settings their pages do not exist. */
export function onlyOperators(expected: OpsCredentials | null): RequestHandler {
  return (req, res, next) => {
    if (expected === null) {
      next('router');
      return;
    }
    if (hasBasicAuth(req.headers.authorization, expected)) {
      next();
      return;
    }
    sendError(res, {
      status: 401,
      headers: { 'WWW-Authenticate': 'Basic realm="outdial operations", charset="UTF-8"' },
      body: { detail: 'Operators sign in with OPS_USER and OPS_PASSWORD', code: 'unauthorized' },
    });
  };
}
