import { inject } from 'vitest';
import { isFullRun } from './full-run.ts';
import type { QueueBackendName } from './services/services.ts';

/** The queue backends of this run, for `describe.each`. Without a Redis it is Postgres alone, and the run says so. */
export function queueBackends(): QueueBackendName[] {
  return inject('services').redis === null ? ['postgres'] : ['redis', 'postgres'];
}

/** Both in `.ci/run`; else the first: what the engine does is the same on either, and the suites of the queues compare them. */
export function engineBackends(): QueueBackendName[] {
  return isFullRun ? queueBackends() : queueBackends().slice(0, 1);
}

/**
 * For a file that is not about queues: Postgres in `.ci/run`; else Redis where there is one. On Postgres each stack opens more connections, and
 * each job takes statements of a server that is the busiest part of a run.
 */
export function anyBackend(): QueueBackendName {
  const [first = 'postgres'] = queueBackends();
  return isFullRun ? 'postgres' : first;
}

/** The Redis of this run, with the prefix under which this run's keys are. */
export function testRedis(): { url: string; prefix: string } {
  const { redis } = inject('services');
  if (redis === null) throw new Error('this run has no Redis; ask queueBackends() first');
  return redis;
}
