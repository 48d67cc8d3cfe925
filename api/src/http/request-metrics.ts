import type { Metrics } from '@outdial/runtime';
import type { RequestHandler } from 'express';

/** Times every request by its route's pattern; what matched none is one series, so nobody can make series at will. */
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
