import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express, { type RequestHandler, type Router } from 'express';
import type { ApiDeps } from '../deps.ts';
import { basicAuth } from '../http/basic-auth.ts';

const QUEUES_PATH = '/ops/queues';

/** `/metrics` and `/ops/queues`: what operators see, of all organizations, with a credential of their own. */
export function opsPages({
  config,
  metrics,
  queues,
}: Pick<ApiDeps, 'config' | 'metrics' | 'queues'>): Router {
  const router = express.Router();
  const onlyOperators = basicAuth(config.ops);

  router.get('/metrics', onlyOperators, async (_req, res) => {
    res.type(metrics.contentType).send(await metrics.metrics());
  });
  if (queues !== null) {
    const adapter = new ExpressAdapter();
    adapter.setBasePath(QUEUES_PATH);
    createBullBoard({
      queues: queues.queues.map((queue) => new BullMQAdapter(queue)),
      serverAdapter: adapter,
    });
    // bull-board types its router as `any`; it is one of Express.
    const board = adapter.getRouter() as RequestHandler;
    router.use(QUEUES_PATH, onlyOperators, board);
  }
  return router;
}
