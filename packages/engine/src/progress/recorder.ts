import { Batcher } from '@outdial/core';
import { noteVoice } from '@outdial/db';
import { applyOptOut, mayOptOut } from '../compliance/suppress.ts';
import { applyReports, type ProgressDeps } from './apply-reports.ts';
import type { CallReport } from './fold-facts.ts';
import { undoFaulty } from './undo-faulty.ts';

/** Records reports in batches. Reports that arrive while a batch is written join the next one. */
export interface ProgressRecorder {
  record(report: CallReport): Promise<void>;
  /** Resolves when all reports so far have been committed. */
  drain(): Promise<void>;
}

export function createProgressRecorder(deps: ProgressDeps): ProgressRecorder {
  const batcher = new Batcher<CallReport, void>({
    async run(reports) {
      await applyReports(deps, reports);
      return reports.map(() => undefined);
    },
    atMost: 200,
    lanes: 3,
    // Reports of one call are written in the order of their arrival.
    keyOf: (report) => report.callId,
    // One faulty report must not block the others.
    isOneItemsFault: () => true,
  });
  return {
    async record(report) {
      // Opt-outs are committed first, so that the gate refuses the number once the report is acknowledged.
      for (const fact of report.facts) if (mayOptOut(fact)) await applyOptOut(deps, report.callId, fact);
      for (const { kind, at } of report.facts) {
        if (kind === 'connected' || kind === 'abandoned') {
          await noteVoice(deps.db, { callId: report.callId, kind, at });
        }
      }
      if (await undoFaulty(deps, report)) return;
      return batcher.add(report);
    },
    drain: () => batcher.drain(),
  };
}
