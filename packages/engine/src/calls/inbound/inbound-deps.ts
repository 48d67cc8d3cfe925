import type { MediaRuntimes } from '../../deps.ts';
import type { ProgressDeps } from '../../progress/apply-reports.ts';

export interface InboundDeps extends ProgressDeps {
  /** Absent if there is no voice process: every call is refused then. */
  mediaRuntimes?: MediaRuntimes;
}
