import type { Logger } from '@outdial/runtime';

/** What code in a document could do, as the probe found. */
interface BoxReport {
  environment: readonly string[];
  network: boolean;
  signals: boolean;
}

/** Logs how documents are sandboxed. @param report null if the probe could not run */
export function logBox(log: Logger, kind: string, report: BoxReport | null): void {
  const hasWalls = kind !== 'permissions_only';
  const fields = {
    box: kind,
    environment: report?.environment.length === 0 ? 'empty' : 'unknown',
    files: hasWalls ? 'code only' : 'code only, by Node',
    network: report?.network === false ? 'none' : 'open',
    signals_to_worker: report?.signals === false ? 'none' : 'possible',
  };
  if (hasWalls) log.info(fields, 'documents are read in a box');
  else log.warn(fields, 'documents are read without a system sandbox; see docs/knowledge-bases.md');
}
