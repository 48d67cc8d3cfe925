import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { sendError } from './answer-error.ts';

/**
 * HTTP Basic (RFC 7617) for operators. Without a credential in the settings the pages do not exist.
 * Both parts are compared as hashes of one length, in constant time, and always both.
 */
export function basicAuth(expected: { user: string; password: string } | null): RequestHandler {
  return (req, res, next) => {
    if (expected === null) {
      next('router');
      return;
    }
    const given = parseBasic(req.headers.authorization);
    const userFits = same(given?.user ?? '', expected.user);
    const passwordFits = same(given?.password ?? '', expected.password);
    if (given !== null && userFits && passwordFits) {
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

function parseBasic(authorization: string | undefined): { user: string; password: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) {
    return null;
  }
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { user, password: password.join(':') };
}

function same(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
