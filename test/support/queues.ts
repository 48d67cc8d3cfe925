import { inject } from 'vitest';
import { isFullRun, isLongRun } from './full-run.ts';
import type { QueueBackendName } from './services/services.ts';

/** The queue backends of this run, for `describe.each`. Without a Redis only Postgres, which the run reports. */
export function queueBackends(): QueueBackendName[] {
  return inject('services').redis === null ? ['postgres'] : ['redis', 'postgres'];
}

/** Both in `npm run long`, otherwise the first. The engine behaves the same on both, and the tests of the queues compare them. */
export function engineBackends(): QueueBackendName[] {
  return isLongRun ? queueBackends() : queueBackends().slice(0, 1);
}

/**
 * For files that do not test queues: Postgres in `.ci/run`, otherwise Redis if there is one. With Postgres, stacks open more connections, and jobs
 * load the server, which is the bottleneck of a run.
 */
export function anyBackend(): QueueBackendName {
  const [first = 'postgres'] = queueBackends();
  return isFullRun ? 'postgres' : first;
}

/** The Redis of this run, with the prefix of its keys. */
export function testRedis(): { url: string; prefix: string } {
  const { redis } = inject('services');
  if (redis === null) throw new Error('this run has no Redis; ask queueBackends() first');
  return redis;
}
