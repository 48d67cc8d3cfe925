import { type ConsoleFile, consoleFiles } from '@outdial/console/bundle';
import type { Logger } from '@outdial/runtime';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { ShortCache } from '../http/short-cache.ts';

/** Scripts, styles and data of this origin, and connections to voice processes; nothing else at all. */
const policy = (voiceOrigins: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    // Test calls go to the voice processes themselves.
    ["connect-src 'self'", ...voiceOrigins].join(' '),
    "media-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // XML of spreadsheets is parsed under this one name.
    'trusted-types outdial-xml',
    "require-trusted-types-for 'script'",
  ].join('; ');

const voiceOriginsKeptMs = 2_000;

function pageHeaders(voiceUrls: () => Promise<readonly string[]>): RequestHandler {
  const cache = new ShortCache<string[]>(voiceOriginsKeptMs);
  // A page is worth more than test calls from it.
  const origins = () =>
    cache
      .get('', async () => [...new Set((await voiceUrls()).map((url) => new URL(url).origin))])
      .catch(() => []);
  return async (_req, res, next) => {
    res.set('Content-Security-Policy', policy(await origins()));
    res.set('Permissions-Policy', 'camera=(), geolocation=(), microphone=(self)');
    next();
  };
}

const YEAR_SECONDS = 31_536_000;

/**
 * `/console`: the files of packages/console, bundled when they are first asked for unless that was done before (in the image). Every path that is
 * no file is the page, whose scripts read the path.
 */
export function consolePages({
  log,
  voiceUrls,
}: {
  log: Pick<Logger, 'error'>;
  /** Where browsers reach voice processes. */
  voiceUrls: () => Promise<readonly string[]>;
}): Router {
  const router = express.Router({ caseSensitive: true });
  router.get('/', (_req, res) => res.redirect(302, 'console'));
  router.get('/console/assets/:name', async (req, res, next) => {
    const file = (await consoleFiles()).assets.get(req.params.name);
    if (file === undefined) next('router');
    // Its name has the hash of its content.
    else send(req, res, file, `public, max-age=${YEAR_SECONDS}, immutable`);
  });
  router.get(['/console', '/console/{*path}'], pageHeaders(voiceUrls), async (req, res) => {
    send(req, res, (await consoleFiles()).page, 'no-cache');
  });
  // The first person should not wait for it.
  setImmediate(() => {
    consoleFiles().catch((error: unknown) => log.error({ err: error }, 'the console cannot be bundled'));
  });
  return router;
}

function send(
  req: Pick<Request, 'acceptsEncodings'>,
  res: Response,
  file: ConsoleFile,
  cacheControl: string,
): void {
  res.set({ 'Content-Type': file.contentType, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' });
  const encoding = req.acceptsEncodings('br', 'gzip', 'identity');
  if (encoding === 'br' || encoding === 'gzip') {
    res.set('Content-Encoding', encoding).send(file[encoding]);
  } else {
    res.send(file.bytes);
  }
}
