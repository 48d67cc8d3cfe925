import type { MediaRuntimes } from '../deps.ts';
import type { ProgressDeps } from '../progress/apply-reports.ts';

export interface InboundDeps extends ProgressDeps {
  /** Without it every call is refused. */
  mediaRuntimes?: MediaRuntimes;
}
