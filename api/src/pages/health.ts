import { answerOfReadiness } from '@outdial/runtime';
import { createReadiness } from '@outdial/service';
import express, { type Router } from 'express';
import type { ApiDeps } from '../deps.ts';

/** `/healthz`: this process responds. `/readyz`: so does everything that it needs; a 503 names what does not. */
export function healthPages(deps: Pick<ApiDeps, 'db' | 'publisher' | 'log' | 'readiness'>): Router {
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
