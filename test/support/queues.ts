import { inject } from 'vitest';
import type { QueueBackendName } from './services/services.ts';

/** The queue backends of this run, for `describe.each`. Without a Redis it is Postgres alone, and the run says so. */
export function queueBackends(): QueueBackendName[] {
  return inject('services').redis === null ? ['postgres'] : ['redis', 'postgres'];
}

/** The Redis of this run, with the prefix under which this run's keys are. */
export function testRedis(): { url: string; prefix: string } {
  const { redis } = inject('services');
  if (redis === null) throw new Error('this run has no Redis; ask queueBackends() first');
  return redis;
}
