import { nearestPath } from '@outdial/contracts';
import { listVoiceWebUrls } from '@outdial/db';
import express, { type Application } from 'express';
import type { ApiDeps } from './deps.ts';
import { oidcRoutes } from './console/oidc-routes.ts';
import { consolePages } from './console/pages.ts';
import { consoleSession, sessionAnswer } from './console/session-routes.ts';
import { answerError, sendError } from './http/answer-error.ts';
import { authenticator } from './http/authenticate.ts';
import { compressJson } from './http/compress-json.ts';
import { mountRoutes } from './http/mount-routes.ts';
import { openApiDocument } from './http/openapi.ts';
import { requestLog } from './http/request-log.ts';
import { requestMetrics } from './http/request-metrics.ts';
import { requestTraces } from './http/request-traces.ts';
import { crossOrigin, securityHeaders } from './http/security-headers.ts';
import { docsPages } from './pages/docs.ts';
import { healthPages } from './pages/health.ts';
import { opsPages } from './pages/ops.ts';
import { providerEvents } from './routes/provider-events/receive.ts';
import { routes } from './routes/index.ts';

export type { ApiConfig, ApiDeps } from './deps.ts';
export { rateLimits, type RateLimitSettings } from './http/rate-limits/rate-limits.ts';
export { memoryCounter } from './http/rate-limits/memory-counter.ts';
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
