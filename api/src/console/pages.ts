import { type ConsoleFile, consoleFiles } from '@outdial/console/bundle';
import type { Logger } from '@outdial/runtime';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';

/** Scripts, styles and data of this origin, and nothing else at all. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "media-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // XML of spreadsheets is parsed under this one name.
  'trusted-types outdial-xml',
  "require-trusted-types-for 'script'",
].join('; ');

const pageHeaders: RequestHandler[] = [
  (_req, res, next) => {
    res.set('Content-Security-Policy', policy);
    res.set('Permissions-Policy', 'camera=(), geolocation=(), microphone=()');
    next();
  },
];

const YEAR_SECONDS = 31_536_000;

/**
 * `/console`: the files of packages/console, bundled when they are first asked for unless that was done before (in the image). Every path that is
 * no file is the page, whose scripts read the path.
 */
export function consolePages(log: Pick<Logger, 'error'>): Router {
  const router = express.Router({ caseSensitive: true });
  router.get('/', (_req, res) => res.redirect(302, 'console'));
  router.get('/console/assets/:name', async (req, res, next) => {
    const file = (await consoleFiles()).assets.get(req.params.name);
    if (file === undefined) next('router');
    // Its name has the hash of its content.
    else send(req, res, file, `public, max-age=${YEAR_SECONDS}, immutable`);
  });
  router.get(['/console', '/console/{*path}'], ...pageHeaders, async (req, res) => {
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
