import { findCampaignForOperators } from '@outdial/db';
import { FailedCredentials, operatorFailuresPerMinute } from '@outdial/runtime';
import express, { type Router } from 'express';
import type { ApiDeps } from '../deps.ts';
import { onlyOperators } from '../http/only-operators.ts';
import { sameOriginOnly } from '../http/same-origin.ts';
import { notFound, resourceId } from '../http/resource-id.ts';
import { queueBoard } from './queue-board.ts';
import { recordLines } from './line-metrics.ts';
import { recordQueues } from './queue-metrics.ts';

const queuesPath = '/ops/queues';
const campaignsPath = '/ops/campaigns';

/** `/metrics` and `/ops/queues`: pages for operators over all organizations, with a separate credential. */
export function opsPages({
  db,
  config,
  metrics,
  queues,
  clock,
  log,
}: Pick<ApiDeps, 'db' | 'config' | 'metrics' | 'queues' | 'clock' | 'log'>): Router {
  const router = express.Router();
  const failed = new FailedCredentials({ freePerMinute: operatorFailuresPerMinute, log });
  const guard = [onlyOperators(config.ops, failed), sameOriginOnly()];

  router.get('/metrics', ...guard, async (_req, res) => {
    await recordLines(db, metrics);
    await recordQueues(queues, { metrics, now: clock.now() });
    res.set('Content-Type', metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  if (queues !== null) {
    router.get(`${campaignsPath}/:campaign_id`, ...guard, async (req, res) => {
      const campaign = await findCampaignForOperators(
        db,
        resourceId(String(req.params['campaign_id']), 'Campaign'),
      );
      if (campaign === null) throw notFound('Campaign');
      res.json(campaign);
    });
    const paths = { board: queuesPath, campaigns: campaignsPath };
    router.use(
      queuesPath,
      guard,
      ...queueBoard({ db, queues, writable: config.ops?.queuesWritable === true }, paths),
    );
  }
  return router;
}
