import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers for every answer. The policy allows the pages under `/docs` and `/ops` their own scripts and nothing from elsewhere.
 * They are the same for all, so helmet's dozen of middlewares run once, and not for each request.
 */
export function securityHeaders(): RequestHandler {
  const headers = headersOfHelmet();
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}

function headersOfHelmet(): Array<[name: string, value: string]> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const setHeaders = helmet({
    contentSecurityPolicy: {
      directives: {
        // Served over plain HTTP too: a browser told to upgrade would look for a port without a listener.
        upgradeInsecureRequests: null,
      },
    },
    // The proxy that ends TLS in front of this service decides this for the whole host.
    strictTransportSecurity: false,
  });
  // None of them waits for anything.
  setHeaders(request, response, (error?: unknown) => {
    if (error !== undefined) throw new Error('the security headers cannot be made', { cause: error });
  });
  return response.getHeaderNames().map((name) => [name, String(response.getHeader(name))]);
}

/** Browsers of other origins may call only from those that are named. */
export function crossOrigin(origins: readonly string[]): RequestHandler | null {
  if (origins.length === 0) return null;
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
    exposedHeaders: ['Content-Range', 'Idempotent-Replayed', 'Retry-After', 'X-Request-Id'],
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
