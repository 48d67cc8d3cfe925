import { type ConsoleFile, consoleFiles } from '@outdial/console/bundle';
import type { Logger } from '@outdial/runtime';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { readSessionCookie } from '../http/session-cookie.ts';
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
  session,
}: {
  log: Pick<Logger, 'error'>;
  /** What `/console/session` answers to this request. */
  session: (req: Request) => Promise<{ data: object | null }>;
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
    const { page } = await consoleFiles();
    // A page that somebody who is not signed in can read, too, is a page all the same.
    const known = readSessionCookie(req) === null ? null : await session(req).catch(() => null);
    if (known === null || known.data === null) return send(req, res, page, 'no-cache');
    res
      .set({ 'Content-Type': page.contentType, 'Cache-Control': 'no-store' })
      .send(pageWith(page, { session: known, path: req.originalUrl }));
  });
  // The first person should not wait for it.
  setImmediate(() => {
    consoleFiles().catch((error: unknown) => log.error({ err: error }, 'the console cannot be bundled'));
  });
  return router;
}

/** What the first view asks for; browsers give it to the script that asks for the same. */
const campaignsPath = '/api/v1/campaigns?fields=summary&size=20&page=1';
const pathsOfFirstView = ['/console', '/console/', '/console/campaigns'];

/** The page with who is signed in, as data that no browser runs, and a word to ask for the campaigns while scripts are on their way. */
function pageWith({ bytes }: ConsoleFile, { session, path }: { session: object; path: string }): string {
  // Text that ends the element, or begins a comment, must not.
  const json = JSON.stringify(session).replaceAll('<', '\\u003c');
  const element = `<script type="application/json" id="session">${json}</script>`;
  const preload = pathsOfFirstView.includes(path)
    ? `<link rel="preload" as="fetch" crossorigin href="${campaignsPath.replaceAll('&', '&amp;')}">`
    : '';
  return bytes.toString('utf8').replace('</head>', () => `${preload}${element}\n  </head>`);
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
