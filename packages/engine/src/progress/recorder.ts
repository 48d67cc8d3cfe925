import { Batcher } from '@outdial/core';
import { noteVoice } from '@outdial/db';
import { heedOptOut, mayOptOut } from '../compliance/heed-opt-out.ts';
import { applyReports, type Applied, type ProgressDeps } from './apply-reports.ts';
import type { CallReport } from './fold-facts.ts';

/** Records reports in small batches: reports that arrive while a batch is written join the next one. */
export interface ProgressRecorder {
  record(report: CallReport): Promise<void>;
  /** Resolves when all reports so far have been committed. */
  drain(): Promise<void>;
}

export function createProgressRecorder(
  deps: ProgressDeps,
  apply: (deps: ProgressDeps, reports: readonly CallReport[]) => Promise<Applied> = applyReports,
): ProgressRecorder {
  const batcher = new Batcher<CallReport, void>({
    async run(reports) {
      await apply(deps, reports);
      return reports.map(() => undefined);
    },
    atMost: 200,
    lanes: 3,
    // Two reports of one call are written in the order in which they arrived.
    keyOf: (report) => report.callId,
    // A report that cannot be written must not block the others.
    isOneItemsFault: () => true,
  });
  return {
    async record(report) {
      // First, and in its own transaction: once the report is answered, no gate opens for the number.
      for (const fact of report.facts) if (mayOptOut(fact)) await heedOptOut(deps, report.callId, fact);
      for (const { kind, at } of report.facts) {
        if (kind === 'connected' || kind === 'abandoned') {
          await noteVoice(deps.db, { callId: report.callId, kind, at });
        }
      }
      return batcher.add(report);
    },
    drain: () => batcher.drain(),
  };
}
