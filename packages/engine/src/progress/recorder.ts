import { setImmediate as nextTurn } from 'node:timers/promises';
import { applyReports, type Applied, type ProgressDeps } from './apply-reports.ts';
import type { CallReport } from './fold-facts.ts';

/** Records what is reported of calls, in small batches: what comes while some are being written goes into the next. */
export interface ProgressRecorder {
  /** Resolves when the report has been committed. */
  record(report: CallReport): Promise<void>;
  /** Resolves when everything that was reported has been committed. */
  drain(): Promise<void>;
}

const batchAtMost = 200;
/** Batches under way at the same time: while one waits for its commit, the next is read. */
const lanes = 3;

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
  const inFlight = new Set<string>();
  const running = new Set<Promise<void>>();

  /** Two reports of one call go into two batches, one after the other, in the order in which they came. */
  function takeBatch(): Waiting[] {
    const seen = new Set<string>();
    const batch: Waiting[] = [];
    const rest: Waiting[] = [];
    for (const one of waiting) {
      const { callId } = one.report;
      const isFree = !inFlight.has(callId) && !seen.has(callId);
      if (isFree && batch.length < batchAtMost) batch.push(one);
      else rest.push(one);
      seen.add(callId);
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
    // Reports that arrive in the same turn of the event loop go together.
    await nextTurn();
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      for (const one of batch) inFlight.add(one.report.callId);
      await write(batch);
      for (const one of batch) inFlight.delete(one.report.callId);
    }
  }

  return {
    record(report) {
      const written = new Promise<void>((resolve, reject) => {
        waiting.push({ report, resolve, reject });
      });
      if (running.size < lanes) {
        const lane: Promise<void> = run().finally(() => running.delete(lane));
        running.add(lane);
      }
      return written;
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
