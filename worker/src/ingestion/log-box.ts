interface BoxLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The probe's findings on what code in a document could do; null if the probe could not run. */
interface BoxReport {
  environment: readonly string[];
  network: boolean;
  signals: boolean;
}

/** Writes one log line about the protection under which documents are read. */
export function logBox(log: BoxLog, kind: string, report: BoxReport | null): void {
  const hasWalls = kind !== 'permissions_only';
  const fields = {
    box: kind,
    environment: report?.environment.length === 0 ? 'empty' : 'unknown',
    files: hasWalls ? 'code only' : 'code only, by Node',
    network: report?.network === false ? 'none' : 'open',
    signals_to_worker: report?.signals === false ? 'none' : 'possible',
  };
  if (hasWalls) log.info(fields, 'documents are read in a box');
  else {
    log.warn(fields, 'documents are read without a system sandbox; see docs/knowledge-bases.md');
  }
}
