import { consoleFiles, type StaticFile } from '@outdial/console/bundle';
import type { Logger } from '@outdial/runtime';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { sendStatic } from '../http/send-static.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import { ShortCache } from '../http/short-cache.ts';

/** Allows scripts, styles and data of this origin, and connections to voice processes. */
const policy = (voiceOrigins: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    // Test calls connect to the voice processes directly.
    ["connect-src 'self'", ...voiceOrigins].join(' '),
    "media-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "trusted-types 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

const voiceOriginsKeptMs = 2_000;

function pageHeaders(voiceUrls: () => Promise<readonly string[]>): RequestHandler {
  const cache = new ShortCache<string[]>(voiceOriginsKeptMs);
  // The page works without test calls.
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

const yearSeconds = 31_536_000;

/**
 * `/console`: the files of packages/console, which the image has bundled, and other installations bundle on the first request. Every path
 * that is not a file is the page, whose scripts read the path.
 */
export function consolePages({
  log,
  voiceUrls,
  session,
}: {
  log: Pick<Logger, 'error'>;
  /** The answer of `/console/session` to this request. */
  session: (req: Request) => Promise<{ data: object | null }>;
  /** The addresses of voice processes for browsers. */
  voiceUrls: () => Promise<readonly string[]>;
}): Router {
  const router = express.Router({ caseSensitive: true });
  router.get('/', (_req, res) => res.redirect(302, 'console'));
  router.get('/console/assets/:name', async (req, res, next) => {
    const file = (await consoleFiles()).assets.get(req.params.name);
    if (file === undefined) next('router');
    // The name contains a hash of the content.
    else sendStatic(req, res, file, `public, max-age=${yearSeconds}, immutable`);
  });
  router.get(['/console', '/console/{*path}'], pageHeaders(voiceUrls), async (req, res) => {
    const { page } = await consoleFiles();
    // The page is also served without a session.
    const known = readSessionCookie(req) === null ? null : await session(req).catch(() => null);
    if (known === null || known.data === null) return sendStatic(req, res, page, 'no-cache');
    res
      .set({ 'Content-Type': page.contentType, 'Cache-Control': 'no-store' })
      .send(pageWith(page, { session: known, path: req.originalUrl }));
  });
  // Bundles in advance, so that the first user need not wait.
  setImmediate(() => {
    consoleFiles().catch((error: unknown) => log.error({ err: error }, 'the console cannot be bundled'));
  });
  return router;
}

/** The requests of the first view, which the browser preloads for the script. */
const campaignsPath = '/api/v1/campaigns?fields=summary&size=20&page=1';
const pathsOfFirstView = ['/console', '/console/', '/console/campaigns'];

/** The page with the session as data that browsers do not execute, and a hint to preload the campaigns. */
function pageWith({ bytes }: StaticFile, { session, path }: { session: object; path: string }): string {
  // The data must not end the element or start a comment.
  const json = JSON.stringify(session).replaceAll('<', '\\u003c');
  const element = `<script type="application/json" id="session">${json}</script>`;
  const preload = pathsOfFirstView.includes(path)
    ? `<link rel="preload" as="fetch" crossorigin href="${campaignsPath.replaceAll('&', '&amp;')}">`
    : '';
  return bytes.toString('utf8').replace('</head>', () => `${preload}${element}\n  </head>`);
}
