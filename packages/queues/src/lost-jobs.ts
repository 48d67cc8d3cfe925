import type { Queue } from 'bullmq';
import type { QueuedJob } from './backend.ts';

const periodMs = 1_000;
const looksPerPeriod = 20;

/**
 * Replaces jobs that stand for equal ones and that no worker will find: a Redis that evicts keys may lose the list of waiting jobs and keep the jobs.
 * Otherwise no equal job could ever be added again. Sweeps publish due jobs repeatedly, so it is enough to look at a few.
 */
export class LostJobs {
  readonly #queue: Queue;
  #lookedAt = new Set<string>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** @param added jobs with the ids that the queue returned: another than its own if an equal job is there */
  async replace(added: ReadonlyArray<{ job: QueuedJob; id: string | undefined }>): Promise<void> {
    for (const { job, id } of added) {
      if (id === undefined || id === job.opts.jobId || !this.#takeLook(id)) continue;
      if ((await this.#queue.getJobState(id)) !== 'unknown') continue;
      // Keeps a job that a worker has locked.
      await this.#queue.remove(id);
      await this.#queue.add(job.name, job.data, job.opts);
    }
  }

  #takeLook(id: string): boolean {
    if (performance.now() - this.#sinceMs >= periodMs) {
      this.#sinceMs = performance.now();
      this.#lookedAt = new Set();
    }
    if (this.#lookedAt.has(id) || this.#lookedAt.size >= looksPerPeriod) return false;
    this.#lookedAt.add(id);
    return true;
  }
}
