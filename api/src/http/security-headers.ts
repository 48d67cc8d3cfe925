import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers for every answer. The policy allows pages under `/docs` and `/ops` only their own scripts. helmet computes them once, because
 * they are the same for all requests.
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
        // Also served over plain HTTP, where an upgrade would look for a port without a listener.
        upgradeInsecureRequests: null,
      },
    },
    // The proxy that terminates TLS decides this for the whole host.
    strictTransportSecurity: false,
  });
  // None of them is asynchronous.
  setHeaders(request, response, (error?: unknown) => {
    if (error !== undefined) throw new Error('the security headers cannot be made', { cause: error });
  });
  return response.getHeaderNames().map((name) => [name, String(response.getHeader(name))]);
}

/** Only the configured origins may call from browsers. */
export function crossOrigin(origins: readonly string[]): RequestHandler | null {
  if (origins.length === 0) return null;
  const handle = cors({
    origin: [...origins],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
      'Range',
      'X-API-Key',
      'X-Request-Id',
    ],
    exposedHeaders: [
      'Content-Disposition',
      'Content-Range',
      'ETag',
      'Idempotent-Replayed',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-Request-Id',
    ],
    maxAge: 600,
  });
  return (req, res, next) => {
    // The routes answer OPTIONS requests that are not preflights.
    if (req.method === 'OPTIONS' && req.headers['access-control-request-method'] === undefined) {
      next();
      return;
    }
    handle(req, res, next);
  };
}
