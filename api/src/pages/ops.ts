import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { listLinesInUse } from '@outdial/db';
import express, { type RequestHandler, type Router } from 'express';
import type { ApiDeps } from '../deps.ts';
import { onlyOperators } from '../http/only-operators.ts';

const QUEUES_PATH = '/ops/queues';

/** `/metrics` and `/ops/queues`: what operators see, of all organizations, with a credential of their own. */
export function opsPages({
  db,
  config,
  metrics,
  queues,
}: Pick<ApiDeps, 'db' | 'config' | 'metrics' | 'queues'>): Router {
  const router = express.Router();
  const guard = onlyOperators(config.ops);

  router.get('/metrics', guard, async (_req, res) => {
    for (const { provider, linesInUse } of await listLinesInUse(db))
      metrics.linesInUse.set({ provider }, linesInUse);
    res.set('Content-Type', metrics.registry.contentType).send(await metrics.registry.metrics());
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
    router.use(QUEUES_PATH, guard, board);
  }
  return router;
}
