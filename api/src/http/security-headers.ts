import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Headers for every answer. The policy allows the pages under `/docs` and `/ops` their own scripts and nothing from elsewhere. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      directives: {
        // Served over plain HTTP too: a browser told to upgrade would look for a port that nobody listens on.
        upgradeInsecureRequests: null,
      },
    },
    // Whoever ends TLS in front of this service decides on that for the whole host.
    strictTransportSecurity: false,
  });
}

/** Browsers of other origins may call only from those that are named. */
export function crossOrigin(origins: readonly string[]): RequestHandler | null {
  if (origins.length === 0) {
    return null;
  }
  const handle = cors({
    origin: [...origins],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'Range',
      'X-API-Key',
      'X-Request-Id',
    ],
    exposedHeaders: ['Content-Range', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
  return (req, res, next) => {
    // OPTIONS of anyone but a browser that asks for leave is the routes' to answer.
    if (req.method === 'OPTIONS' && req.headers['access-control-request-method'] === undefined) {
      next();
      return;
    }
    handle(req, res, next);
  };
}
