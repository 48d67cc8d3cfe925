import type { JobDefinition } from '@outdial/contracts';
import type { Publisher } from '@outdial/queues';

export interface PublishedJob {
  job: string;
  payload: Record<string, unknown>;
}

/**
 * A queue that the scenario controls. It keeps published jobs until the scenario takes them, in any order, twice or never. The engine must tolerate
 * this of any queue: jobs may be lost, late and doubled.
 */
export interface JobBox extends Publisher {
  /** Takes all jobs. Jobs that are not run afterwards are lost. */
  take(name?: string): PublishedJob[];
}

export function createJobBox(): JobBox {
  let jobs: PublishedJob[] = [];
  const keep = (job: JobDefinition, payload: Record<string, unknown>) => {
    jobs.push({ job: job.name, payload });
  };
  return {
    publish(job, payload) {
      keep(job, { ...payload });
      return Promise.resolve();
    },
    publishMany(job, payloads) {
      for (const payload of payloads) keep(job, { ...payload });
      return Promise.resolve();
    },
    ping: () => Promise.resolve(null),
    close: () => Promise.resolve(),
    take(name) {
      const taken = jobs.filter((job) => name === undefined || job.job === name);
      jobs = jobs.filter((job) => !taken.includes(job));
      return taken;
    },
  };
}
