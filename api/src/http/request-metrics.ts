import type { Metrics } from '@outdial/runtime';
import type { RequestHandler } from 'express';

/** Measures every request by its route's pattern. Requests without a route are one series, so that callers cannot create series. */
export function requestMetrics({ httpDuration }: Pick<Metrics, 'httpDuration'>): RequestHandler {
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
