import { Batcher } from '@outdial/core';
import { noteVoice } from '@outdial/db';
import { heedOptOut, mayOptOut } from '../compliance/heed-opt-out.ts';
import { applyReports, type Applied, type ProgressDeps } from './apply-reports.ts';
import type { CallReport } from './fold-facts.ts';

/** Records what is reported of calls, in small batches: what comes while some are being written goes into the next. */
export interface ProgressRecorder {
  /** Resolves when the report has been committed. */
  record(report: CallReport): Promise<void>;
  /** Resolves when everything that was reported has been committed. */
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
    // Two reports of one call are written in the order in which they came.
    keyOf: (report) => report.callId,
    // One report that cannot be written must not keep the others from it.
    isOneItemsFault: () => true,
  });
  return {
    async record(report) {
      // In a transaction of its own, and before: once the report is answered, nobody dials the number.
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
