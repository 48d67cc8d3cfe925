import { constants } from 'node:zlib';
import { nearestPath } from '@outdial/contracts';
import { listVoiceWebUrls } from '@outdial/db';
import express, { type Application, type RequestHandler, type Router } from 'express';
import compression from 'compression';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { answerOfReadiness, type Metrics } from '@outdial/runtime';
import { createReadiness } from '@outdial/service';
import type { ApiDeps } from './deps.ts';
import { oidcRoutes } from './console/oidc-routes.ts';
import { consolePages } from './console/pages.ts';
import { consoleSession, sessionAnswer } from './console/session-routes.ts';
import { answerError, sendError } from './http/answer-error.ts';
import { authenticator } from './http/authenticate.ts';
import { mountRoutes } from './http/mount-routes.ts';
import { openApiDocument } from './http/openapi.ts';
import { requestLog } from './http/request-log.ts';
import { crossOrigin, securityHeaders } from './http/security-headers.ts';
import { docsPages } from './pages/docs.ts';
import { opsPages } from './pages/ops.ts';
import { providerEvents } from './routes/provider-events/receive.ts';
import { routes } from './routes/index.ts';
import type { SharedCounter } from './http/rate-limits/shared-rate.ts';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Principal } from './http/principal.ts';

export type { ApiConfig, ApiDeps } from './deps.ts';
export { rateLimits, type RateLimitSettings } from './http/rate-limits/rate-limits.ts';
export { startServer, type ApiServer } from './server.ts';

/** The version of the interface, as in all paths. */
const appVersion = '1.0.0';

/** The whole HTTP interface, with adapters that the caller opens and closes. */
export function createApp(deps: ApiDeps): Application {
  const app = express();
  app.disable('x-powered-by');
  // Operations send their own ETags (`send-json.ts`); errors need none.
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', deps.config.trustedProxies ?? 0);

  const traces = requestTraces();
  if (traces !== null) app.use(traces);
  app.use(requestLog(deps.log));
  app.use(requestMetrics(deps.metrics));
  app.use(securityHeaders());
  const corsHandler = crossOrigin(deps.config.corsOrigins);
  if (corsHandler !== null) app.use(corsHandler);
  app.use(compressJson());
  const { jwt, publicUrl } = deps.config;
  const authenticate = authenticator({ db: deps.db, clock: deps.clock, jwt, publicUrl });
  app.use(mountRoutes(routes, deps, authenticate));
  app.use(providerEvents(deps));
  app.use(healthPages(deps));
  app.use(docsPages(() => openApiDocument(routes, { version: appVersion, serverUrl: publicUrl ?? '/' })));
  app.use(opsPages(deps));
  const { oidc } = deps.config;
  if (oidc != null) app.use(oidcRoutes(deps, oidc));
  app.use(consoleSession(deps, authenticate));
  app.use(
    consolePages({
      log: deps.log,
      voiceUrls: () => listVoiceWebUrls(deps.db),
      session: (req) => sessionAnswer(deps, authenticate, req),
    }),
  );
  const paths = routes.map(({ definition }) => definition.path);
  app.use((req, res) => {
    const near = nearestPath(req.path, paths);
    const detail = `This path does not exist${near === null ? '' : `; did you mean ${near}?`}`;
    sendError(res, { status: 404, body: { detail, code: 'not_found' } });
  });
  app.use(answerError);
  return app;
}

/** Smaller answers fit in one packet uncompressed. */
const thresholdBytes = 1024;

/** Compresses JSON on request, including streams. Uses fast levels, so that an answer with a million numbers does not block the process for seconds. */
function compressJson(): RequestHandler {
  const compress = compression({
    threshold: thresholdBytes,
    level: 4,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    // Operators' pages show secrets next to user input, and audio is already compressed.
    filter: (_req, res) => String(res.getHeader('Content-Type')).startsWith('application/json'),
  });
  return (req, res, next) => {
    // Most callers do not request compression.
    if (req.headers['accept-encoding'] === undefined) next();
    else compress(req, res, next);
  };
}

/** Counts in this process only. */
export function memoryCounter(): SharedCounter {
  return new RateLimiterMemory({ points: 2_000_000_000, duration: 60 });
}

/** Measures every request by its route's pattern. Requests without a route are one series, so that callers cannot create series. */
function requestMetrics({ httpDuration }: Pick<Metrics, 'httpDuration'>): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('finish', () => {
      const route: unknown = res.locals['route'];
      httpDuration.observe(
        { method: req.method, route: typeof route === 'string' ? route : 'other', status: res.statusCode },
        (performance.now() - startedAt) / 1_000,
      );
    });
    next();
  };
}

/** `/healthz`: this process responds. `/readyz`: so does everything that it needs; a 503 names what does not. */
function healthPages(deps: Pick<ApiDeps, 'db' | 'publisher' | 'log' | 'readiness'>): Router {
  const router = express.Router();
  const readiness = deps.readiness ?? createReadiness(deps);

  router.get('/healthz', (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const { status, body } = answerOfReadiness(await readiness.current(), readiness.warnings());
    res.set('Cache-Control', 'no-store').status(status).json(body);
  });
  return router;
}

/**
 * A span for each request, part of the caller's trace if the request names one (https://www.w3.org/TR/trace-context/). Contains neither
 * paths nor query strings, which may have phone numbers. Null if the process is not traced.
 */
function requestTraces(): RequestHandler | null {
  // Only a traced process has a propagator.
  if (propagation.fields().length === 0) return null;
  const tracer = trace.getTracer('outdial');
  return (req, res, next) => {
    const parent = propagation.extract(context.active(), req.headers);
    const attributes = { 'http.request.method': req.method };
    const span = tracer.startSpan(req.method, { kind: SpanKind.SERVER, attributes }, parent);
    res.once('close', () => {
      // `locals` is untyped; these names are ours.
      const { route, principal } = res.locals as { route?: string; principal?: Principal };
      if (route !== undefined) {
        span.updateName(`${req.method} ${route}`);
        span.setAttribute('http.route', route);
      }
      if (principal !== undefined) span.setAttribute('outdial.organization_id', principal.organizationId);
      span.setAttribute('http.response.status_code', res.statusCode);
      if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(parent, span), next);
  };
}
