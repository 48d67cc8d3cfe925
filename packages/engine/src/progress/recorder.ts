import { applyReports, type Applied, type ProgressDeps } from './apply-reports.ts';
import type { CallReport } from './fold-facts.ts';

/** Records what is reported of calls, in small batches: what comes while one is being written goes into the next. */
export interface ProgressRecorder {
  /** Resolves when the report has been committed. */
  record(report: CallReport): Promise<void>;
  /** Resolves when everything that was reported has been committed. */
  drain(): Promise<void>;
}

const batchAtMost = 200;

interface Waiting {
  report: CallReport;
  resolve(): void;
  reject(error: unknown): void;
}

export function createProgressRecorder(
  deps: ProgressDeps,
  apply: (deps: ProgressDeps, reports: readonly CallReport[]) => Promise<Applied> = applyReports,
): ProgressRecorder {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;

  /** Two reports of one call go into two batches, in the order in which they came. */
  function takeBatch(): Waiting[] {
    const ids = new Set<string>();
    const batch: Waiting[] = [];
    const rest: Waiting[] = [];
    for (const one of waiting) {
      if (batch.length < batchAtMost && !ids.has(one.report.callId)) batch.push(one);
      else rest.push(one);
      ids.add(one.report.callId);
    }
    waiting = rest;
    return batch;
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    try {
      await apply(
        deps,
        batch.map((one) => one.report),
      );
      for (const one of batch) one.resolve();
    } catch (error) {
      const [only] = batch;
      if (batch.length === 1 && only) return only.reject(error);
      // One report that cannot be written must not keep the others from it.
      for (const one of batch) await write([one]);
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) await write(takeBatch());
  }

  return {
    record(report) {
      const written = new Promise<void>((resolve, reject) => {
        waiting.push({ report, resolve, reject });
      });
      running ??= run().finally(() => {
        running = null;
      });
      return written;
    },
    async drain() {
      while (running !== null) await running;
    },
  };
}
