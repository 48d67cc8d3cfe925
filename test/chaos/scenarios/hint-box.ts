import type { JobDefinition } from '@outdial/contracts';
import type { Publisher } from '@outdial/queues';

export interface Hint {
  job: string;
  payload: Record<string, unknown>;
}

/**
 * A queue in the hands of the scenario: it keeps what is published until it is taken, in any order, twice, or never. For the
 * engine that is a queue like any other: jobs are hints, and may be lost, late and doubled.
 */
export interface HintBox extends Publisher {
  /** Takes all there is; those that are not run are lost. */
  take(job?: string): Hint[];
}

export function createHintBox(): HintBox {
  let hints: Hint[] = [];
  const keep = (job: JobDefinition, payload: Record<string, unknown>) => {
    hints.push({ job: job.name, payload });
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
    close: () => Promise.resolve(),
    take(job) {
      const taken = hints.filter((hint) => job === undefined || hint.job === job);
      hints = hints.filter((hint) => !taken.includes(hint));
      return taken;
    },
  };
}
