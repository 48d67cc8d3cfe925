import type { RequestHandler } from 'express';
import { sendError } from './answer-error.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests from pages of other origins, because browsers send an operator's Basic credential with any request. Uses Fetch Metadata
 * (https://www.w3.org/TR/fetch-metadata/), or the `Origin` header of older browsers. Programs send neither.
 */
export function sameOriginOnly(): RequestHandler {
  return (req, res, next) => {
    if (safeMethods.has(req.method) || isOwn(req.headers)) {
      next();
      return;
    }
    sendError(res, {
      status: 403,
      body: { detail: 'This can only be done from a page of this service', code: 'foreign_origin' },
    });
  };
}

function isOwn(headers: NodeJS.Dict<string | string[]>): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  return typeof origin === 'string' && URL.canParse(origin) && new URL(origin).host === host;
}
