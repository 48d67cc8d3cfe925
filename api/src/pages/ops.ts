import { findCampaignForOperators, listLinesInUse, type Db } from '@outdial/db';
import {
  FailedCredentials,
  operatorFailuresPerMinute,
  hasBasicAuth,
  type OpsCredentials,
  type Metrics,
} from '@outdial/runtime';
import express, { type Router, type RequestHandler } from 'express';
import { measureQueue, type OpsQueues } from '@outdial/queues';
import type { ApiDeps } from '../deps.ts';
import { notFound, resourceId } from '../http/resource-id.ts';
import { queueBoard } from './queue-board.ts';
import { sendError } from '../http/answer-error.ts';
import { slowDown } from '../http/slow-down.ts';

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

/** HTTP Basic (RFC 7617) for operators. Without a configured credential, their pages do not exist. */
function onlyOperators(expected: OpsCredentials | null, failed: FailedCredentials): RequestHandler {
  return async (req, res, next) => {
    if (expected === null) {
      next('router');
      return;
    }
    if (hasBasicAuth(req.headers.authorization, expected)) {
      next();
      return;
    }
    // A browser's first request has no credential, so this is not a guess.
    if (req.headers.authorization !== undefined) await slowDown(failed, req);
    sendError(res, {
      status: 401,
      headers: { 'WWW-Authenticate': 'Basic realm="outdial operations", charset="UTF-8"' },
      body: { detail: 'Operators sign in with OPS_USER and OPS_PASSWORD', code: 'unauthorized' },
    });
  };
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests from pages of other origins, because browsers send an operator's Basic credential with any request. Uses Fetch Metadata
 * (https://www.w3.org/TR/fetch-metadata/), or the `Origin` header of older browsers. Programs send neither.
 */
function sameOriginOnly(): RequestHandler {
  return (req, res, next) => {
    if (safeMethods.has(req.method) || isOwn(req.headers)) {
      next();
      return;
    }
    sendError(res, {
      status: 403,
      body: { detail: 'This can only be done from a page of this service', code: 'foreign_origin' },
    });
  };
}

function isOwn(headers: NodeJS.Dict<string | string[]>): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  return typeof origin === 'string' && URL.canParse(origin) && new URL(origin).host === host;
}

/** Less than Prometheus' scrape timeout of ten seconds. */
const waitMs = 2_000;

/**
 * Lines in use, from the database. If it does not respond in time, the gauge has no series, so that the scrape that reports an exhausted
 * pool does not wait for a connection.
 */
async function recordLines(db: Db, { linesInUse }: Pick<Metrics, 'linesInUse'>): Promise<void> {
  linesInUse.reset();
  const { promise: late, resolve } = Promise.withResolvers<[]>();
  const timer = setTimeout(() => resolve([]), waitMs);
  const read = listLinesInUse(db).catch(() => []);
  const counts = await Promise.race([read, late]);
  clearTimeout(timer);
  for (const count of counts) linesInUse.set({ provider: count.provider }, count.linesInUse);
}

/** Depth and age of every queue. Omits queues that cannot be read, so that a scrape does not fail with them. */
async function recordQueues(
  queues: OpsQueues | null,
  { metrics, now }: { metrics: Pick<Metrics, 'queueJobs' | 'queueOldest'>; now: Date },
): Promise<void> {
  const { queueJobs, queueOldest } = metrics;
  queueJobs.reset();
  queueOldest.reset();
  await Promise.allSettled(
    (queues?.queues ?? []).map(async (queue) => {
      const { counts, oldestAtMs } = await measureQueue(queue);
      for (const [state, count] of Object.entries(counts)) queueJobs.set({ queue: queue.name, state }, count);
      const ageMs = oldestAtMs === null ? 0 : Math.max(0, now.getTime() - oldestAtMs);
      queueOldest.set({ queue: queue.name }, ageMs / 1_000);
    }),
  );
}
